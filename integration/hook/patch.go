package hook

import (
	"strings"

	"github.com/tada-run/tada-run/launcher"
)

// patchLines are the lines of a patch, in the form that models write it, that name a file.
var patchLines = []struct {
	head string
	use  launcher.Use
}{
	{"*** Add File: ", launcher.Changes},
	{"*** Update File: ", launcher.Changes},
	{"*** Move to: ", launcher.Changes},
	{"*** Delete File: ", launcher.Deletes},
}

// patched lists the files that a patch touches. A line that begins as one that names a file and is none that is
// known makes the whole patch unreadable: some version of the tool may know it.
func patched(text string) ([]launcher.Access, error) {
	var list []launcher.Access
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "***") {
			continue
		}
		known := line == "*** Begin Patch" || line == "*** End Patch" || line == "*** End of File"
		for _, p := range patchLines {
			if name, ok := strings.CutPrefix(line, p.head); ok {
				a, err := named(p.use, strings.TrimSpace(name))
				if err != nil {
					return nil, err
				}
				list, known = append(list, a), true
			}
		}
		if !known {
			return nil, malformed("the patch has a line that is not known: %q", line[:min(len(line), 80)])
		}
	}
	if len(list) == 0 {
		return nil, malformed("the patch names no file")
	}
	return list, nil
}
