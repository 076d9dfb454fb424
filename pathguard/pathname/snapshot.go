package pathname

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// IsSnapshot reports whether a path is such a file of one of the homes, or in a folder that an
// agent's program was configured to use instead.
func IsSnapshot(full string, homes, moved []string) bool {
	return strings.HasSuffix(full, ".sh") && IsSnapshotDir(path.Dir(full), homes, moved)
}

// IsSnapshotDir reports whether a folder is one where agents' programs have the shell itself write
// down its functions and aliases when they start. What is there is run before every command, and is
// as protected as what runs at login. Only that start may make one: an agent could name its own in
// a text that looks like one of the program.
func IsSnapshotDir(dir string, homes, moved []string) bool {
	if slices.Contains(moved, dir) {
		return true
	}
	for f := range agents.Of("snapshots") {
		below := strings.TrimPrefix(f.Text(), "~/")
		for _, home := range homes {
			if home != "" && dir == path.Join(home, below) {
				return true
			}
		}
	}
	return false
}

// IsLog reports whether a path is a file in which an agent's program writes down what was said.
func IsLog(full string, homes []string) bool {
	for f := range agents.Of("logs") {
		for _, home := range homes {
			ok, _ := path.Match(path.Join(home, strings.TrimPrefix(f.Text(), "~/")), full)
			if home != "" && ok {
				return true
			}
		}
	}
	return false
}
