package document

import (
	"fmt"
	"strings"
)

// checkName refuses a name that a signature line cannot have.
func checkName(name string) error {
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, func(r rune) bool {
		return !strings.ContainsRune(".@_-", r) && (r < '0' || r > '9') && (r|0x20 < 'a' ||
			r|0x20 > 'z')
	}) {
		return fmt.Errorf("name %q: it must be 1 to 64 of a-z, A-Z, 0-9, \".\", \"@\", \"_\" and "+
			"\"-\"", name)
	}
	return nil
}
