package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/past"
)

// touched says which plans are selected, by what they touch. Its zero value selects all.
type touched struct {
	program, file, host string
	// whether a plan is selected; nil for all, and without those that cannot be read
	plans   map[string]bool
	unknown map[string]bool // runs of which it is not known what they touch
}

func (t *touched) any() bool { return t.program+t.file+t.host != "" }

// selects reports whether a run is known to touch it.
func (t *touched) selects(r past.Run) bool {
	selected, known := t.plans[r.Plan]
	if t.plans != nil && !known {
		t.unknown[r.ID] = true
	}
	return t.plans == nil || selected
}

// sayUnknown says how many runs may be missing from what was selected.
func (c *ctl) sayUnknown(t *touched) {
	if n := len(t.unknown); n > 0 {
		fmt.Fprintf(c.err, "tadactl: what %s touched is not known: there is no plan on record "+
			"that can be read\n", audit.Plural(n, "other run"))
	}
}

func (t *touched) match(names map[string][]string) bool {
	return (t.program == "" || slices.ContainsFunc(names["exec"], func(name string) bool {
		return name == t.program || filepath.Base(name) == t.program
	})) && (t.file == "" || slices.ContainsFunc(slices.Concat(names["read"], names["write"],
		names["delete"]), func(name string) bool { return covers([]string{t.file}, name) })) &&
		(t.host == "" || slices.ContainsFunc(names["net"], func(name string) bool {
			return name == t.host || strings.HasPrefix(name, t.host+":")
		}))
}
