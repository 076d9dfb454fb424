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

// maxGitConfig bounds a file of settings.
const maxGitConfig = 1 << 20
