package pathguard

import (
	"path"
	"strings"
)

// snapshotDirs are where agent programs have the shell itself write down its functions and aliases
// when they start, below a home. What is there is run before every command, and is as protected as
// what runs at login. Only that start may make one: an agent could name its own in a text that
// looks like one of the program.
var snapshotDirs = []string{".claude/shell-snapshots", ".codex/shell_snapshots"}

// isSnapshot reports whether a path is such a file of one of the homes.
func isSnapshot(full string, homes []string) bool {
	return strings.HasSuffix(full, ".sh") && isSnapshotDir(path.Dir(full), homes)
}

// IsSnapshot reports whether a real path is what an agent's program saved of the person's shell.
func (p Policy) IsSnapshot(real string) bool { return isSnapshot(real, p.homes) }

func isSnapshotDir(dir string, homes []string) bool {
	for _, home := range homes {
		for _, below := range snapshotDirs {
			if home != "" && dir == path.Join(home, below) {
				return true
			}
		}
	}
	return false
}
