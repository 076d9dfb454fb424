package state

import (
	"os"
	"strings"
)

// bootID tells this boot of the machine from every other one; "" where it is not told.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
