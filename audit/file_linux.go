package audit

import (
	"os"

	"golang.org/x/sys/unix"
)

// datasync stores the file's bytes and its length, not its times.
func datasync(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}

// freeSpace returns what this user can still write beside f, and the size of
// that file system, in bytes.
func freeSpace(f *os.File) (free, total int64, err error) {
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil {
		return 0, 0, err
	}
	return int64(st.Bavail) * st.Bsize, int64(st.Blocks) * st.Bsize, nil
}

// reserveBlocks makes a file own n bytes of disk without writing them.
func reserveBlocks(f *os.File, n int64) error {
	return unix.Fallocate(int(f.Fd()), 0, 0, n)
}

// isAppendOnly reports whether nothing can be removed from a folder (chattr +a, or +i).
func isAppendOnly(dir *os.File) bool {
	var st unix.Statx_t
	err := unix.Statx(int(dir.Fd()), "", unix.AT_EMPTY_PATH, 0, &st)
	return err == nil && st.Attributes&(unix.STATX_ATTR_APPEND|unix.STATX_ATTR_IMMUTABLE) != 0
}
