package undo

import (
	"strconv"

	"golang.org/x/sys/unix"
)

const statMask = unix.STATX_BASIC_STATS | unix.STATX_BTIME | unix.STATX_MNT_ID

const (
	// grace is how long after its last note a run that a crash ended may have changed something.
	grace = 2e9
	// tick is how much a time of the file system may be behind the clock.
	tick = 10e6
)

// A spot is where an inode is stored.
type spot struct {
	mount uint64
	disk  int64 // bytes that it takes there
}

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

// look is stat of an entry: the zero State if there is none.
func look(dir int, name string) (State, error) {
	s, _, err := stat(dir, name)
	if err == unix.ENOENT {
		err = nil
	}
	return s, err
}

// openFolder opens a folder in another one, without following a symbolic link.
func openFolder(dir int, name string) (int, error) {
	return open(dir, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
}

func open(dir int, name string, flags int, mode uint32) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, flags|unix.O_CLOEXEC, mode)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// through is a name that leads to what a handle is of, for the calls that take no handle.
func through(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

func readlink(dir int, name string) (string, error) {
	b := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(dir, name, b)
	if err != nil {
		return "", err
	}
	return string(b[:n]), nil
}

// pathOf is the name of a handle as the kernel has it.
func pathOf(fd int) string {
	path, err := readlink(unix.AT_FDCWD, through(fd))
	if err != nil {
		return ""
	}
	return path
}
