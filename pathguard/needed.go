package pathguard

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
)

// neededText lists what a shell needs to start, and what programs read to find libraries, accounts,
// hosts, time and trust. A restricted path that contains some of these still denies every command
// line that names a file there; the sandbox hides the rest of the path and leaves these readable. A
// restricted path inside an entry is hidden unless it is, or contains, an entry itself.
//
//go:embed table/needed.txt
var neededText string

// neededNames are those of the table.
var neededNames = sync.OnceValue(func() (names []string) {
	for line := range strings.Lines(neededText) {
		if line[0] != '#' {
			names = append(names, strings.Fields(line)...)
		}
	}
	return names
})

// neededRoots are the directories in which neededNames are: a restricted path elsewhere, as nearly
// every one is, is not compared with them.
var neededRoots = []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/etc",
	"/dev", "/nix", "/run/current-system"}

// needed returns what of a restricted path, real and existing, commands need all the same.
// All reports that it is the whole path.
func needed(d *walk.Disk, restricted string) (names []string, all bool) {
	if !slices.ContainsFunc(neededRoots,
		func(root string) bool {
			return pathname.Within(restricted, root) || pathname.Within(root, restricted)
		}) {
		return nil, false
	}
	for _, real := range d.Existing(nil, nil, neededIn(d, restricted)...) {
		switch {
		case real == restricted:
			return nil, true
		case pathname.Within(real, restricted):
			names = append(names, real)
		}
	}
	return pathname.SortUnique(names), false
}

// neededIn returns those of neededNames that are a path or could be below it, by their text: only
// these are asked of the disk. The folders at the root that are links into /usr on most systems are
// resolved where that could matter.
func neededIn(d *walk.Disk, restricted string) (names []string) {
	tops := map[string]string{}
	for _, name := range neededNames() {
		top, rest, _ := strings.Cut(name[1:], "/")
		if top == "bin" || strings.HasPrefix(top, "lib") {
			if !pathname.Within(restricted, "/usr") && !pathname.Within(restricted, "/"+top) {
				continue
			}
			real, known := tops[top]
			if !known {
				real, _, _ = d.Real("/" + top)
				tops[top] = real
			}
			name = pathname.Join(real, rest)
		}
		if reaches(name[1:], strings.Trim(restricted, "/")) {
			names = append(names, name)
		}
	}
	return names
}
