package hook

import (
	"regexp"
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

// patched lists the files that a patch touches. A line that begins like one that names a file, but
// is not a known one, makes the whole patch unreadable: some version of the tool may know it.
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
			return nil, malformed("the patch has a line that is not known: %q",
				line[:min(len(line), 80)])
		}
	}
	if len(list) == 0 {
		return nil, malformed("the patch names no file")
	}
	return list, nil
}

// patchCommand is a command line that is only a patch, as models write it if they do not have the
// tool: the directory, its quotes, and the here-document.
var patchCommand = regexp.MustCompile(`(?s)\A\s*(?:cd[ \t]+('[^']+'|"[^"$\x60\\\\]+"|[\w./@%+,:-]+)[ \t]*&&[ \t]*)?(?:apply_patch|applypatch)[ \t]*<<[ \t]*(['"]?)(\w+)(['"]?)[ \t]*\n(.*)\n(\w+)\s*\z`)

// patchIn splits such a command line. A platform that applies such a patch itself starts no shell
// for it; one that does not would expand what is not quoted, so there must be nothing to expand.
func patchIn(text string) (dir, patch string, ok bool) {
	m := patchCommand.FindStringSubmatch(text)
	if m == nil || m[2] != m[4] || m[3] != m[6] ||
		strings.Contains("\n"+m[5]+"\n", "\n"+m[3]+"\n") {
		return "", "", false
	}
	dir = m[1]
	if len(dir) > 0 && strings.ContainsRune("'\"", rune(dir[0])) {
		dir = dir[1 : len(dir)-1]
	}
	if strings.HasPrefix(dir, "-") || m[2] == "" && strings.ContainsAny(m[5], "$`\\") {
		return "", "", false
	}
	return dir, m[5], true
}
