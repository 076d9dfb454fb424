package cli

import (
	"path/filepath"
	"slices"
	"strings"
)

// touched says which plans are selected, by what they touch. Its zero value selects all.
type touched struct {
	program, file, host string
	plans               map[string]bool // the selected ones; nil for all
}

func (t *touched) any() bool { return t.program+t.file+t.host != "" }

func (t *touched) match(names map[string][]string) bool {
	return (t.program == "" || slices.ContainsFunc(names["exec"], func(name string) bool {
		return name == t.program || filepath.Base(name) == t.program
	})) && (t.file == "" || slices.ContainsFunc(slices.Concat(names["read"], names["write"],
		names["delete"]), func(name string) bool { return covers([]string{t.file}, name) })) &&
		(t.host == "" || slices.ContainsFunc(names["net"], func(name string) bool {
			return name == t.host || strings.HasPrefix(name, t.host+":")
		}))
}
