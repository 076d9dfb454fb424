package undo

import (
	"strconv"

	"golang.org/x/sys/unix"
)

const statMask = unix.STATX_BASIC_STATS | unix.STATX_BTIME | unix.STATX_MNT_ID

// How a file is opened: as a handle of what is at a name, a link itself too; as a handle of a
// folder; and to be read without a change of its times.
const (
	theEntry  = unix.O_PATH | unix.O_NOFOLLOW
	theFolder = unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW
	quietly   = unix.O_NOATIME
)

// stat returns what is at a name in a folder, or for "" what the handle is of, and where it is
// stored.
func stat(dir int, name string) (s State, at spot, err error) {
	var x unix.Statx_t
	flags := unix.AT_SYMLINK_NOFOLLOW | unix.AT_NO_AUTOMOUNT
	if name == "" {
		flags |= unix.AT_EMPTY_PATH
	}
	for {
		err = unix.Statx(dir, name, flags, statMask, &x)
		if err != unix.EINTR {
			break
		}
	}
	if err != nil {
		return s, at, err
	}
	s = State{
		ID:   ID{Dev: unix.Mkdev(x.Dev_major, x.Dev_minor), Ino: x.Ino},
		Mode: uint32(x.Mode), UID: x.Uid, GID: x.Gid, Links: x.Nlink, Size: int64(x.Size),
		Accessed: nano(x.Atime), Modified: nano(x.Mtime), Changed: nano(x.Ctime),
	}
	if x.Mask&unix.STATX_BTIME != 0 {
		s.ID.Birth = nano(x.Btime)
	}
	if t := s.Mode & typeMask; t == unix.S_IFBLK || t == unix.S_IFCHR {
		s.Device = unix.Mkdev(x.Rdev_major, x.Rdev_minor)
	}
	return s, spot{x.Mnt_id, int64(x.Blocks) * 512}, nil
}

func nano(t unix.StatxTimestamp) int64 { return t.Sec*1e9 + int64(t.Nsec) }

// through is a name that leads to what a handle is of, for the calls that take no handle.
func through(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// openAgain opens what a handle is of.
func openAgain(handle, flags int) (int, error) {
	return open(unix.AT_FDCWD, through(handle), flags, 0)
}

// nameOf is the name of a handle as the kernel has it.
func nameOf(fd int) (string, error) { return readlink(unix.AT_FDCWD, through(fd)) }
