//go:build !darwin

package passwd

import (
	"bytes"
	"iter"
	"strings"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// passwdEntries goes through the entries that have value in column. os/user would go through
// nsswitch, but only with cgo, and links the C library's resolvers into the agent's door.
func passwdEntries(column int, value string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		text, err := proc.Read("/etc/passwd")
		if err != nil {
			return
		}
		for line := range bytes.Lines(text) {
			fields := strings.Split(strings.TrimRight(string(line), "\r\n"), ":")
			if len(fields) > passwdHome && fields[column] == value && !yield(fields) {
				return
			}
		}
	}
}
