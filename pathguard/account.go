package pathguard

import (
	"bufio"
	"os"
	"strings"
)

// accountHome looks a ~user up in the passwd file. os/user would do it through nsswitch,
// but only with cgo; an account that is not found stays unknown, which asks.
func accountHome(name string) string {
	f, err := os.Open("/etc/passwd")
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), ":")
		if len(fields) >= 6 && fields[0] == name && strings.HasPrefix(fields[5], "/") {
			return fields[5]
		}
	}
	return ""
}
