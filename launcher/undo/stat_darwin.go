package undo

import (
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// How a file is opened: as a handle of what is at a name, a link itself too; as a handle of a
// folder; and to be read.
const (
	theEntry  = unix.O_EVTONLY | unix.O_SYMLINK
	theFolder = unix.O_EVTONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW
	quietly   = 0
)

// stat returns what is at a name in a folder, or for "" what the handle is of, and where it is
// stored.
func stat(dir int, name string) (s State, at spot, err error) {
	var x unix.Stat_t
	for {
		if name == "" {
			err = unix.Fstat(dir, &x)
		} else {
			err = unix.Fstatat(dir, name, &x, unix.AT_SYMLINK_NOFOLLOW)
		}
		if err != unix.EINTR {
			break
		}
	}
	if err != nil {
		return s, at, err
	}
	device := uint64(uint32(x.Dev))
	s = State{
		ID:   ID{Dev: device, Ino: x.Ino, Birth: x.Btim.Nano()},
		Mode: uint32(x.Mode), UID: x.Uid, GID: x.Gid, Links: uint32(x.Nlink), Size: x.Size,
		Accessed: x.Atim.Nano(), Modified: x.Mtim.Nano(), Changed: x.Ctim.Nano(),
	}
	if t := s.Mode & typeMask; t == unix.S_IFBLK || t == unix.S_IFCHR {
		s.Device = uint64(uint32(x.Rdev))
	}
	return s, spot{device, x.Blocks * 512}, nil
}

// through is a name that leads to what a handle is of, for the calls that take no handle: the name
// that the kernel has for it now. "/dev/fd" would need the rights of the handle.
func through(fd int) string {
	name, err := nameOf(fd)
	if err != nil {
		return "/dev/null/" // no such file
	}
	return name
}

// openAgain opens what a handle is of, if its name still leads to it.
func openAgain(handle, flags int) (int, error) {
	fd, err := open(unix.AT_FDCWD, through(handle), flags|unix.O_NOFOLLOW, 0)
	if err != nil {
		return none, err
	}
	was, _, err := stat(handle, "")
	if is, _, e := stat(fd, ""); err != nil || e != nil || is.ID != was.ID {
		unix.Close(fd)
		return none, ErrMoved
	}
	return fd, nil
}

// none is the number of no descriptor.
const none = -1

// nameOf is the name of a handle as the kernel has it.
func nameOf(fd int) (string, error) { return proc.NameOf(fd) }
