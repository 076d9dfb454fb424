package launcher

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tada-run/tada-run/launcher/shell"
)

// MaySearch returns nil if nothing below dir is hidden from a command that searches all of it. It
// is for callers that search without a sandbox. A tree too large to look through for such names is
// refused.
func (l *Launcher) MaySearch(dir string) error {
	j, err := l.Judge(Request{Dir: dir, Shell: shell.Call{Words: []string{"grep", "-r", "x", "."}}})
	if err != nil {
		return err
	}
	defer j.Close()
	fence := j.policy.Fence(j.Plan)
	for _, hidden := range fence.Hide {
		if below, ok := strings.CutPrefix(hidden, strings.TrimSuffix(dir, "/")+"/"); ok {
			return &ForbiddenError{Path: filepath.Join(dir, below),
				Reason: "access to it is denied, and a search here would read it; search " +
					"a narrower directory"}
		}
		if rest, ok := strings.CutPrefix(dir+"/", strings.TrimSuffix(hidden, "/")+"/"); ok {
			return &ForbiddenError{Path: filepath.Join(dir, rest), Reason: "access to it is denied"}
		}
	}
	if fence.Partial {
		return fmt.Errorf("%q has too many directories to check for restricted files; search a "+
			"narrower directory", dir)
	}
	return nil
}
