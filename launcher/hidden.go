package launcher

import (
	"fmt"
	"path/filepath"
	"strings"
)

// MaySearch returns nil when nothing below dir is kept from a command that searches the whole of
// it: what a fence would hide. It is for whoever searches without a fence. A tree too large to look
// through for such names is refused.
func (l *Launcher) MaySearch(dir string) error {
	j, err := l.Judge(Request{Dir: dir, Shell: Shell{Words: []string{"grep", "-r", "x", "."}}})
	if err != nil {
		return err
	}
	defer j.Close()
	fence := j.policy.Fence(j.Plan)
	for _, hidden := range fence.Hide {
		if below, ok := strings.CutPrefix(hidden, strings.TrimSuffix(dir, "/")+"/"); ok {
			return &ForbiddenError{Path: filepath.Join(dir, below), Reason: "it may not be read, and a search here would; name a narrower place"}
		}
		if rest, ok := strings.CutPrefix(dir+"/", strings.TrimSuffix(hidden, "/")+"/"); ok {
			return &ForbiddenError{Path: filepath.Join(dir, rest), Reason: "it may not be read"}
		}
	}
	if fence.Partial {
		return fmt.Errorf("%q holds more folders than were looked at for files that may not be read; name a narrower place", dir)
	}
	return nil
}
