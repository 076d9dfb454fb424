package audit

import (
	"os"

	"golang.org/x/sys/unix"
)

// datasync stores the file, through the disk's own cache: fsync(2) of macOS leaves it there, and
// Sync does not.
func datasync(f *os.File) error { return f.Sync() }

// freeSpace returns what this user can still write beside f, and the size of
// that file system, in bytes.
func freeSpace(f *os.File) (free, total int64, err error) {
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil {
		return 0, 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), int64(st.Blocks) * int64(st.Bsize), nil
}

// reserveBlocks makes a file own n bytes of disk. They are written: what is only reserved beyond
// the end of a file is given back when it is closed.
func reserveBlocks(f *os.File, n int64) error {
	_, err := f.Write(make([]byte, n))
	return err
}

// isAppendOnly reports whether nothing can be removed from a folder (chflags uappnd, or uchg).
func isAppendOnly(dir *os.File) bool {
	const kept = unix.UF_APPEND | unix.UF_IMMUTABLE | unix.SF_APPEND | unix.SF_IMMUTABLE
	var st unix.Stat_t
	return unix.Fstat(int(dir.Fd()), &st) == nil && st.Flags&kept != 0
}
