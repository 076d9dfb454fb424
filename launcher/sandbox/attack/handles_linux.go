//go:build amd64 || arm64

package attack

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// handles are attacks by descriptors that allow nothing by themselves (O_PATH), by files without a
// name, and by calls newer than those that most filters know.
var handles = []Attack{
	{Name: "link a nameless file outside", try: func(w World) error {
		return linkNameless(w.Workspace, w.Outside+"/new")
	}},
	{Name: "chmod a handle of an outside file", Lost: sandbox.Metadata, try: func(w World) error {
		fd, err := unix.Open(w.Outside+"/file", unix.O_PATH, 0)
		if err != nil {
			return err
		}
		return call(unix.SYS_FCHMODAT2, uintptr(fd), uintptr(unsafe.Pointer(&[1]byte{})), 0o644,
			unix.AT_EMPTY_PATH)
	}},
	{Name: "chown a handle of an outside file", Lost: sandbox.Metadata, try: func(w World) error {
		fd, err := unix.Open(w.Outside+"/file", unix.O_PATH, 0)
		if err != nil {
			return err
		}
		return unix.Fchownat(fd, "", os.Getuid(), os.Getgid(), unix.AT_EMPTY_PATH)
	}},
	{Name: "age a handle of an outside file", Lost: sandbox.Metadata, try: func(w World) error {
		fd, err := unix.Open(w.Outside+"/file", unix.O_PATH, 0)
		if err != nil {
			return err
		}
		return unix.UtimesNanoAt(fd, "", []unix.Timespec{{}, {}}, unix.AT_EMPTY_PATH)
	}},
	{Name: "mark an outside file by the new call", try: func(w World) error {
		return setxattrat(w.Outside + "/file")
	}},
	{Name: "mark a hidden file", Lost: sandbox.Metadata, try: func(w World) error {
		return unix.Lsetxattr(w.secretFile(), "user.x", []byte("x"), 0)
	}},
	{Name: "flags of an outside file by the new call", try: func(w World) error {
		return fileAttributes(w.Outside + "/file")
	}},
	{Name: "age a kept file", Lost: sandbox.Keeping, try: func(w World) error {
		return unix.UtimesNanoAt(unix.AT_FDCWD, w.Kept, []unix.Timespec{{}, {}}, 0)
	}},
	{Name: "mark a kept file", Lost: sandbox.Keeping, try: func(w World) error {
		return unix.Setxattr(w.Kept, "user.x", []byte("x"), 0)
	}},
	{Name: "link a nameless file over a kept one", Lost: sandbox.Keeping,
		try: func(w World) error {
			if err := os.Remove(w.Kept); err != nil {
				return err
			}
			return linkNameless(w.Workspace, w.Kept)
		}},
	{Name: "a socket in the place of a kept file", Lost: sandbox.Keeping,
		try: func(w World) error {
			if err := os.Remove(w.Kept); err != nil {
				return err
			}
			return unix.Mknod(w.Kept, unix.S_IFSOCK|0o600, 0)
		}},
	{Name: "link a handle of a secret by an empty path", try: func(w World) error {
		fd, err := unix.Open(w.secretFile(), unix.O_PATH, 0)
		if err != nil {
			return err
		}
		to := w.Workspace + "/sub/linked"
		if err := unix.Linkat(fd, "", unix.AT_FDCWD, to, unix.AT_EMPTY_PATH); err != nil {
			return err
		}
		return read(to)
	}},
	{Name: "read a secret by the root of a thread", try: func(w World) error {
		return read("/proc/thread-self/root" + w.secretFile())
	}},
	{Name: "read a secret by the directory of another process", try: func(w World) error {
		return read("/proc/" + strconv.Itoa(os.Getppid()) + "/root" + w.secretFile())
	}},
	{Name: "execute a secret as an interpreter", try: func(w World) error {
		name := w.Workspace + "/sub/script"
		text := "#!" + filepath.Dir(w.Kept) + "/.env.sh\n"
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			return err
		}
		return unix.Exec(name, []string{"x"}, nil)
	}},
	{Name: "execute a handle of a secret", try: func(w World) error {
		fd, err := unix.Open(filepath.Dir(w.Kept)+"/.env.sh", unix.O_PATH, 0)
		if err != nil {
			return err
		}
		return unix.Exec(descriptorName(fd), []string{"x"}, nil)
	}},
	{Name: "a device that overlays take for a removed file", try: func(w World) error {
		return unix.Mknod(w.Workspace+"/gone", unix.S_IFCHR, 0)
	}},
	{Name: "a secret behind a folder that is exchanged", try: func(w World) error {
		// the folder that leads there under a name of its own, and a link in its place
		top := filepath.Dir(w.deep())
		if err := os.Symlink(top+".x", w.Workspace+"/l"); err != nil {
			return err
		}
		err := unix.Renameat2(unix.AT_FDCWD, w.Workspace+"/l", unix.AT_FDCWD, top,
			unix.RENAME_EXCHANGE)
		return errors.Join(err, read(w.Workspace+"/l/.env"))
	}},
}

// linkNameless gives a file without a name one.
func linkNameless(folder, name string) error {
	fd, err := unix.Open(folder, unix.O_TMPFILE|unix.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Linkat(unix.AT_FDCWD, descriptorName(fd), unix.AT_FDCWD, name,
		unix.AT_SYMLINK_FOLLOW)
}

// setxattrat is the call of Linux 6.13.
func setxattrat(name string) error {
	path, err := unix.BytePtrFromString(name)
	if err != nil {
		return err
	}
	key, value := []byte("user.x\x00"), []byte("x")
	args := struct {
		value       *byte
		size, flags uint32
	}{&value[0], 1, 0}
	cwd := unix.AT_FDCWD
	return call(unix.SYS_SETXATTRAT, uintptr(cwd), uintptr(unsafe.Pointer(path)), 0,
		uintptr(unsafe.Pointer(&key[0])), uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args))
}

// fileAttributes reads the flags of a file and sets them, by the calls of Linux 6.17.
func fileAttributes(name string) error {
	path, err := unix.BytePtrFromString(name)
	if err != nil {
		return err
	}
	var attr [3]uint64
	cwd := unix.AT_FDCWD
	args := []uintptr{uintptr(cwd), uintptr(unsafe.Pointer(path)),
		uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0}
	if err := call(unix.SYS_FILE_GETATTR, args...); err != nil {
		return err
	}
	return call(unix.SYS_FILE_SETATTR, args...)
}
