package pathguard

import (
	"path"
	"strings"
)

// snapshotDirs are where agent programs have the shell itself write down its functions and aliases when they start, below
// a home. The name of the file is made up by the program, so a new one means nothing to anybody but who named it; one
// that is there is run before every command, and is as protected as what runs at login.
var snapshotDirs = []string{".claude/shell-snapshots", ".codex/shell_snapshots"}

// isSnapshot reports whether a path is such a file of one of the homes.
func isSnapshot(full string, homes []string) bool {
	return strings.HasSuffix(full, ".sh") && isSnapshotDir(path.Dir(full), homes)
}

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
