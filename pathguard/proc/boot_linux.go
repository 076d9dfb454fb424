package proc

import "strings"

func bootID() string {
	text, err := Read("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
