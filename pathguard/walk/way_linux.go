package walk

import (
	"os"

	"golang.org/x/sys/unix"
)

// A Dir is an open directory and the path that leads to it without a link.
type Dir struct {
	FD   int // -1 when the directory does not exist: then the walk is by text alone
	Path string
}

// An End is the end of one walk.
type End struct {
	FD      int // of Real, opened with O_PATH; -1 when there is none
	Real    string
	Missing string
	Links   []string
	Crossed []ID
	Stat    unix.Stat_t
	Kind    Kind
	Why     string
}

// IDOf is the inode of a status.
func IDOf(st *unix.Stat_t) ID { return ID{uint64(st.Dev), st.Ino} }

// ID is the inode at the end.
func (e End) ID() ID { return IDOf(&e.Stat) }

// Close closes the file at the end.
func (e End) Close() {
	if e.FD >= 0 {
		unix.Close(e.FD)
	}
}

// Hold is the end of a walk, for the plan to hold.
func Hold(e End) *Held {
	if e.FD < 0 {
		return nil
	}
	return NewHeld(e.FD, e.Real)
}

// ModeOf translates the kernel's mode bits.
func ModeOf(m uint32) os.FileMode {
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

// A Walker resolves names against one view of the root directory.
type Walker struct {
	Root    Dir
	WorkDir Dir               // what /proc/self/cwd means for the command
	Made    map[string]string // links that the script makes before it uses them, by their path
}

func New() (*Walker, error) {
	fd, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: "/", Err: err}
	}
	return &Walker{Root: Dir{fd, "/"}, WorkDir: Dir{-1, "/"}}, nil
}

func (w *Walker) Close() { unix.Close(w.Root.FD) }
