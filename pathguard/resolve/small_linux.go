package resolve

import (
	"io"

	"golang.org/x/sys/unix"
)

// smallFile reads a small regular file; "" of anything else.
func (r *resolver) smallFile(name string) string {
	end := r.Walk(r.Root, name, true)
	defer end.Close()
	if end.Missing != "" || end.FD < 0 || end.Stat.Mode&unix.S_IFMT != unix.S_IFREG ||
		end.Stat.Size > maxGitConfig {
		return ""
	}
	fd, err := reopen(end.FD)
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	whole, _ := io.ReadAll(io.LimitReader(reader(fd), maxGitConfig))
	return string(whole)
}

// settingsFile reads a file of settings, "" for none; ok is false for one that is there and cannot
// be read.
func (r *resolver) settingsFile(name string) (text string, ok bool) {
	text = r.smallFile(name)
	if text != "" {
		return text, true
	}
	end := r.Walk(r.Root, name, true)
	defer end.Close()
	return "", end.Missing != "" || end.Stat.Mode&unix.S_IFMT == unix.S_IFREG && end.Stat.Size == 0
}

// maxGitConfig bounds a file of settings.
const maxGitConfig = 1 << 20

// isFolder reports whether a path is a directory, maybe through links.
func (r *resolver) isFolder(name string) bool {
	end := r.Walk(r.Root, name, true)
	defer end.Close()
	return end.Missing == "" && end.FD >= 0 && end.Stat.Mode&unix.S_IFMT == unix.S_IFDIR
}

// isThere reports whether there is anything of that name.
func (r *resolver) isThere(name string) bool {
	end := r.Walk(r.Root, name, false)
	defer end.Close()
	return end.Missing == ""
}

// isPlainFile reports whether a name is that of a regular file itself.
func (r *resolver) isPlainFile(name string) bool {
	end := r.Walk(r.Root, name, false)
	defer end.Close()
	return end.Missing == "" && end.Stat.Mode&unix.S_IFMT == unix.S_IFREG
}
