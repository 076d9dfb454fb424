package pathguard

import (
	"strconv"

	"github.com/tada-run/tada-run/pathguard/resolve"
)

// A finding is where one target is.
type finding struct {
	in    [places]bool
	where [places]string // the path that put it there, when it is not the target's own
	rule  *PathRule
	count int
}

func (f *finding) put(p Place, path string) {
	f.in[p] = true
	if f.where[p] == "" {
		f.where[p] = path
	}
}

func (f *finding) shown(p Place, full string) string {
	if f.where[p] != "" {
		return f.where[p]
	}
	return full
}

func (f *finding) detail(t *resolve.Target, a Action) string {
	if a == ToSweep {
		return strconv.Itoa(f.count)
	}
	return t.Name
}
