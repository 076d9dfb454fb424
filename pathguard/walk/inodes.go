package walk

import (
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/pathname"
)

// maxInodes bounds the names of hidden files that are compared with those of the workspace.
const maxInodes = 4096

// Inodes returns the inodes of hidden files, each with a name: the hidden files themselves and the
// files in hidden folders, two levels deep. A directory listing has the inodes, so no file is
// opened.
func (d *Disk) Inodes(hidden []string) map[uint64]string {
	found := map[uint64]string{}
	var in func(dir string, deep int)
	in = func(dir string, deep int) {
		for _, e := range d.List(dir).Entries {
			switch {
			case len(found) >= maxInodes:
				return
			case e.Kind == unix.DT_REG:
				found[e.Ino] = pathname.Join(dir, e.Name)
			case e.IsDir() && deep > 0:
				in(pathname.Join(dir, e.Name), deep-1)
			}
		}
	}
	for _, name := range hidden {
		var st unix.Stat_t
		switch {
		case pathname.Within(name, "/proc") || pathname.Within(name, "/sys") ||
			unix.Lstat(name, &st) != nil:
		case st.Mode&unix.S_IFMT == unix.S_IFREG && st.Nlink > 1:
			found[st.Ino] = name
		case st.Mode&unix.S_IFMT == unix.S_IFDIR:
			in(name, 1)
		}
	}
	return found
}

// SameFile reports whether two names are of one file.
func SameFile(a, b string) bool {
	var x, y unix.Stat_t
	return unix.Lstat(a, &x) == nil && unix.Lstat(b, &y) == nil && x.Dev == y.Dev && x.Ino == y.Ino
}
