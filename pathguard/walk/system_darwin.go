package walk

import (
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// forNothing opens a file without any use of it, theLink also if it is a link.
const (
	forNothing = unix.O_EVTONLY
	theLink    = unix.O_EVTONLY | unix.O_SYMLINK
	caseless   = true
)

// apart says which names in a directory are not opened, and why. The kernel reads /.vol, which has
// every file by its inode, and the like before it looks at the disk. A resource fork is no file in
// a directory.
func apart(dir, name string) (kind Kind, why string) {
	lower := strings.ToLower(name)
	switch {
	case dir == "/" && name[0] == '.', lower == "..namedfork":
		return Plain, WhyUnnamed
	case dir == "/dev" &&
		(lower == "fd" || lower == "stdin" || lower == "stdout" || lower == "stderr"):
		return Descriptor, "the command's own process"
	}
	return Plain, ""
}

func kernelName(fd int) (string, error) { return proc.NameOf(fd) }
