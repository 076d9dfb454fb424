package pathguard

import (
	"os"

	"golang.org/x/sys/unix"
)

// A spot is an open directory and the path that leads to it without a link.
type spot struct {
	fd   int // -1 when the directory does not exist: then the walk is by text alone
	path string
}

// A way is the end of one walk.
type way struct {
	fd      int // of real, opened with O_PATH; -1 when there is none
	real    string
	missing string
	links   []string
	crossed []ID
	stat    unix.Stat_t
	kind    Kind
	why     string
}

func (e way) id() ID { return ID{uint64(e.stat.Dev), e.stat.Ino} }

func (e way) close() {
	if e.fd >= 0 {
		unix.Close(e.fd)
	}
}

// file is the end of a walk, for the plan to hold.
func file(e way) *held {
	if e.fd < 0 {
		return nil
	}
	return newHeld(e.fd, e.real)
}

// modeOf translates the kernel's mode bits.
func modeOf(m uint32) os.FileMode {
	mode := os.FileMode(m & 0o777)
	switch m & unix.S_IFMT {
	case unix.S_IFDIR:
		mode |= os.ModeDir
	case unix.S_IFLNK:
		mode |= os.ModeSymlink
	case unix.S_IFIFO:
		mode |= os.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= os.ModeSocket
	case unix.S_IFCHR:
		mode |= os.ModeDevice | os.ModeCharDevice
	case unix.S_IFBLK:
		mode |= os.ModeDevice
	}
	if m&unix.S_ISUID != 0 {
		mode |= os.ModeSetuid
	}
	if m&unix.S_ISGID != 0 {
		mode |= os.ModeSetgid
	}
	return mode
}
