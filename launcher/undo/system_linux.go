package undo

import "golang.org/x/sys/unix"

// timesOf and noAttribute are what the calls take and return here.
const (
	timesOf     = 0 // the name of a handle is not a link's
	noAttribute = unix.ENODATA
)

func listAttributes(path string, b []byte) (int, error) { return unix.Listxattr(path, b) }

func getAttribute(path, name string, b []byte) (int, error) { return unix.Getxattr(path, name, b) }

func setAttribute(path, name string, v []byte) error { return unix.Setxattr(path, name, v, 0) }

func removeAttribute(path, name string) error { return unix.Removexattr(path, name) }

// isSystems reports whether no program can give a file this attribute.
func isSystems(string) bool { return false }

// renameNew renames to a name that nothing has.
func renameNew(dir int, name string, to int, toName string) error {
	return unix.Renameat2(dir, name, to, toName, unix.RENAME_NOREPLACE)
}

// fileTime is what a file would get now for its times, in nanoseconds: that of the last tick.
func fileTime() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &t)
	return t.Nano()
}

// startSync begins to write the content of a file to the disk.
func startSync(fd int) { _ = unix.SyncFileRange(fd, 0, 0, unix.SYNC_FILE_RANGE_WRITE) }

// isWritten reports whether a regular file of the store may be open for writing somewhere. The
// kernel gives a read lease (fcntl(2)) on a file only if it is not. To close the file ends it.
func isWritten(dir int, name string) bool {
	fd, err := open(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|quietly, 0)
	if err != nil {
		return true
	}
	defer unix.Close(fd)
	_, err = unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_RDLCK)
	return err != nil
}

// cloneNew reports false: a new file is cloned into.
func cloneNew(int, string, int) bool { return false }

// cloneInto makes the content of a file that of another one, without a copy, where the file system
// can do that.
func cloneInto(to, from int) bool { return unix.IoctlFileClone(to, from) == nil }

// openNew opens a file without a name, in the folder in which giveName gives it one.
func openNew(dir int) (int, error) { return open(dir, ".", unix.O_TMPFILE|unix.O_RDWR, 0o600) }

func giveName(fd, dir int, name string) error {
	return unix.Linkat(unix.AT_FDCWD, through(fd), dir, name, unix.AT_SYMLINK_FOLLOW)
}

// dropNew does nothing: what has no name ends with its descriptor.
func dropNew(int) {}

// openNameless opens a file in memory.
func openNameless(name string) (int, error) { return unix.MemfdCreate(name, unix.MFD_CLOEXEC) }

// chown gives what a handle is of, a link too, an owner.
func chown(fd, uid, gid int) error { return unix.Fchownat(fd, "", uid, gid, unix.AT_EMPTY_PATH) }

// punch makes a part of a file a hole, where the file system has them.
func punch(fd int, from, size int64) bool {
	const hole = unix.FALLOC_FL_PUNCH_HOLE | unix.FALLOC_FL_KEEP_SIZE
	return unix.Fallocate(fd, hole, from, size) == nil
}

func makeNode(dir int, name string, mode uint32, device int) error {
	return unix.Mknodat(dir, name, mode, device)
}
