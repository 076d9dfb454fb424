package environ

import (
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog"
)

// Missable are those of the removed names that a command could miss: not one that no shell variable
// can have.
func Missable(removed []string) (names []string) {
	for _, n := range removed {
		if IsName(n) && !catalog.Variable(n).Has("caller") {
			names = append(names, n)
		}
	}
	return names
}

// IsName reports whether s is a name as POSIX defines it (XBD 3.216).
func IsName(s string) bool {
	for i, c := range []byte(s) {
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// NotReceived says how to let commands receive these variables.
func NotReceived(names []string) string {
	return fmt.Sprintf("commands do not receive %s; to pass a variable, add its name to "+
		"environment.keep: tadactl policy edit", strings.Join(names, " "))
}
