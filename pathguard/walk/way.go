package walk

import (
	"os"

	"golang.org/x/sys/unix"
)

// An End is the end of one walk.
type End struct {
	FD      int // of Real, opened for nothing; -1 when there is none
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

// Exists reports whether the way leads to a file. It need not be open: see openItself.
func (e End) Exists() bool { return e.Missing == "" && (e.FD >= 0 || e.Stat.Ino != 0) }

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

// Mode is that of the file at the end.
func (e End) Mode() os.FileMode { return modeOf(uint32(e.Stat.Mode)) }

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

// A Walker resolves names against one view of the root directory.
type Walker struct {
	Root    Dir
	WorkDir Dir               // what /proc/self/cwd means for the command
	Made    map[string]string // links that the script makes before it uses them, by their path
}

func New() (*Walker, error) {
	fd, err := unix.Open("/", forNothing|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: "/", Err: err}
	}
	return &Walker{Root: Dir{fd, "/"}, WorkDir: Dir{-1, "/"}}, nil
}

func (w *Walker) Close() { unix.Close(w.Root.FD) }

// OpenFolder opens a directory by its path below the root, on which there must be no link.
func (w *Walker) OpenFolder(path string) (int, error) {
	return openPlain(w.Root.FD, path, unix.O_DIRECTORY)
}
