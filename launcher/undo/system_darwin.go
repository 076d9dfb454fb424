package undo

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// timesOf and noAttribute are what the calls take and return here.
const (
	timesOf     = unix.AT_SYMLINK_NOFOLLOW
	noAttribute = unix.ENOATTR
)

func listAttributes(path string, b []byte) (int, error) { return unix.Llistxattr(path, b) }

func getAttribute(path, name string, b []byte) (int, error) { return unix.Lgetxattr(path, name, b) }

func setAttribute(path, name string, v []byte) error { return unix.Lsetxattr(path, name, v, 0) }

func removeAttribute(path, name string) error { return unix.Lremovexattr(path, name) }

// isSystems reports whether no program can give a file this attribute: the kernel notes in it which
// program made the file.
func isSystems(name string) bool { return name == "com.apple.provenance" }

// renameNew renames to a name that nothing has.
func renameNew(dir int, name string, to int, toName string) error {
	return unix.RenameatxNp(dir, name, to, toName, unix.RENAME_EXCL)
}

// fileTime is what a file would get now for its times, in nanoseconds.
func fileTime() int64 { return time.Now().UnixNano() }

// startSync does nothing: the sync of the journal waits for all.
func startSync(int) {}

// isWritten returns true: macOS does not say whether a file is open for writing.
func isWritten(int, string) bool { return true }

// cloneNew makes a file with the content of another one, without a copy (clonefile(2)); false where
// the file system cannot do that.
func cloneNew(dir int, name string, from int) bool {
	if unix.Fclonefileat(from, dir, name, unix.CLONE_NOFOLLOW|unix.CLONE_NOOWNERCOPY) != nil {
		return false
	}
	if unix.Fchmodat(dir, name, 0o600, 0) != nil {
		_ = unix.Unlinkat(dir, name, 0)
		return false
	}
	return true
}

// cloneInto reports false: a clone is a new file.
func cloneInto(int, int) bool { return false }

// newPrefix begins the names of files that are being made.
const newPrefix = ".tada-undo-new-"

// openNew opens a file under a name of its own, in the folder in which giveName gives it another
// one. macOS has no files without a name.
func openNew(dir int) (fd int, err error) {
	for n := range 100 {
		name := newPrefix + strconv.Itoa(os.Getpid()) + "-" + strconv.Itoa(n)
		fd, err = open(dir, name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, 0o600)
		if err != unix.EEXIST {
			break
		}
	}
	return fd, err
}

func giveName(fd, dir int, name string) error {
	from, err := nameOf(fd)
	if err != nil {
		return err
	}
	return unix.RenameatxNp(dir, filepath.Base(from), dir, name, unix.RENAME_EXCL)
}

// dropNew removes a file to which giveName gave no name.
func dropNew(fd int) {
	if name, err := nameOf(fd); err == nil && strings.HasPrefix(filepath.Base(name), newPrefix) {
		_ = unix.Unlink(name)
	}
}

// openNameless opens a file whose name is gone at once.
func openNameless(name string) (int, error) {
	f, err := os.CreateTemp("", "tada-run-"+filepath.Base(name)+"-")
	if err != nil {
		return -1, err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return -1, err
	}
	return unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
}

// chown gives what a handle is of, a link too, an owner.
func chown(fd, uid, gid int) error { return unix.Lchown(through(fd), uid, gid) }

// punch reports false: zeros are written.
func punch(int, int64, int64) bool { return false }

// makeNode makes no devices: only the administrator could. A pipe gets its name by its folder's.
func makeNode(dir int, name string, mode uint32, _ int) error {
	if mode&unix.S_IFMT != unix.S_IFIFO {
		return unix.EPERM
	}
	folder, err := nameOf(dir)
	if err != nil {
		return err
	}
	return unix.Mkfifo(filepath.Join(folder, name), mode&0o7777)
}
