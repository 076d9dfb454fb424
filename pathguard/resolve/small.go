package resolve

import (
	"io"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/walk"
)

// smallFile reads a small regular file; "" of anything else.
func (r *resolver) smallFile(name string) string {
	text, _ := r.settingsFile(name)
	return text
}

// settingsFile reads a small file of settings, "" for none; ok is false for one that is there and
// cannot be read.
func (r *resolver) settingsFile(name string) (text string, ok bool) {
	return r.fileUpTo(name, maxGitConfig)
}

// fileUpTo is settingsFile for a file of at most that many bytes.
func (r *resolver) fileUpTo(name string, most int64) (text string, ok bool) {
	end := r.Walk(r.Root, name, true)
	defer end.Close()
	if end.Missing != "" {
		return "", true
	}
	regular := end.Stat.Mode&unix.S_IFMT == unix.S_IFREG
	empty := regular && end.Stat.Size == 0
	if !regular || end.FD < 0 || end.Stat.Size > most {
		return "", empty
	}
	fd, err := walk.Reopen(end.FD)
	if err != nil {
		return "", empty
	}
	defer unix.Close(fd)
	whole, _ := io.ReadAll(io.LimitReader(reader(fd), most))
	return string(whole), empty || len(whole) > 0
}

// maxGitConfig bounds a file of settings.
const maxGitConfig = 1 << 20

// isFolder reports whether a path is a directory, maybe through links.
func (r *resolver) isFolder(name string) bool {
	there, mode := r.modeOf(name, true)
	return there && mode == unix.S_IFDIR
}

// isThere reports whether there is anything of that name.
func (r *resolver) isThere(name string) bool {
	there, _ := r.modeOf(name, false)
	return there
}

// isPlainFile reports whether a name is that of a regular file itself.
func (r *resolver) isPlainFile(name string) bool {
	there, mode := r.modeOf(name, false)
	return there && mode == unix.S_IFREG
}

// modeOf returns what kind of file has a name; 0 for one that cannot be looked at.
func (r *resolver) modeOf(name string, follow bool) (there bool, mode uint32) {
	end := r.Walk(r.Root, name, follow)
	defer end.Close()
	if end.FD >= 0 {
		mode = uint32(end.Stat.Mode & unix.S_IFMT)
	}
	return end.Missing == "", mode
}
