//go:build amd64 || arm64

package attack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// roundabout are attacks on files outside that leave the work to the kernel, or to a name that
// means something else for whoever looks it up.
var roundabout = []Attack{
	{Name: "a core dump outside", try: func(w World) error {
		_ = exec.Command("/bin/sh", "-c", `ulimit -c unlimited; cd "$0" && kill -QUIT $$`,
			w.Outside).Run()
		if list, _ := filepath.Glob(w.Outside + "/core*"); len(list) > 0 {
			return nil
		}
		return errors.New("there is none")
	}},
	{Name: "hard link a descriptor in", try: func(w World) error {
		fd, err := unix.Open(w.Open, unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return unix.Linkat(unix.AT_FDCWD, descriptorName(fd), unix.AT_FDCWD,
			w.Workspace+"/in", unix.AT_SYMLINK_FOLLOW)
	}},
	{Name: "hard link a descriptor to a shared directory", try: func(w World) error {
		fd, err := unix.Open(w.Open, unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return unix.Linkat(unix.AT_FDCWD, descriptorName(fd), unix.AT_FDCWD,
			w.Shared+"/in", unix.AT_SYMLINK_FOLLOW)
	}},
	{Name: "chmod outside by the link of a descriptor", Lost: sandbox.Metadata,
		try: func(w World) error {
			fd, err := unix.Open(w.Outside+"/file", unix.O_PATH, 0)
			if err != nil {
				return err
			}
			return unix.Chmod(descriptorName(fd), 0o640)
		}},
	{Name: "chmod outside by the root of a process", Lost: sandbox.Metadata,
		try: func(w World) error {
			return unix.Chmod("/proc/thread-self/root"+w.Outside+"/file", 0o640)
		}},
	{Name: "age outside by a link of the workspace", Lost: sandbox.Metadata,
		try: func(w World) error {
			if err := os.Symlink(w.Outside+"/file", w.Workspace+"/l"); err != nil {
				return err
			}
			return unix.UtimesNanoAt(unix.AT_FDCWD, w.Workspace+"/l",
				[]unix.Timespec{{}, {}}, 0)
		}},
	{Name: "give a file away", Root: true,
		try: func(w World) error { return unix.Chown(w.Workspace+"/own", 12345, 12345) }},
	{Name: "a program with capabilities", Root: true, try: func(w World) error {
		value := make([]byte, 20) // struct vfs_cap_data
		binary.LittleEndian.PutUint32(value, 0x02000001)
		binary.LittleEndian.PutUint32(value[4:], 1<<unix.CAP_DAC_OVERRIDE)
		return unix.Setxattr(w.Workspace+"/own", "security.capability", value, 0)
	}},
	{Name: "an attribute for the system", Root: true, try: func(w World) error {
		return unix.Setxattr(w.Workspace+"/own", "trusted.x", []byte("x"), 0)
	}},
	{Name: "a file that nobody changes", Root: true, try: func(w World) error {
		fd, err := unix.Open(w.Workspace+"/own", unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		flags, err := unix.IoctlGetUint32(fd, unix.FS_IOC_GETFLAGS)
		if err != nil {
			return err
		}
		fixed := flags | 0x10 // FS_IMMUTABLE_FL
		err = call(unix.SYS_IOCTL, uintptr(fd), unix.FS_IOC_SETFLAGS,
			uintptr(unsafe.Pointer(&fixed)))
		if err == nil { // else the world cannot be taken down
			return call(unix.SYS_IOCTL, uintptr(fd), unix.FS_IOC_SETFLAGS,
				uintptr(unsafe.Pointer(&flags)))
		}
		return err
	}},
	{Name: "stop a file system", Root: true, try: func(w World) error {
		fd, err := unix.Open("/dev/shm", unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		const freeze = 0xc0045877 // a file system in memory has none: it got as far as that
		if err := call(unix.SYS_IOCTL, uintptr(fd), freeze, 0); err != unix.EOPNOTSUPP {
			return err
		}
		return nil
	}},
	{Name: "the screen of the console", Root: true,
		try: func(World) error { return unixOpen("/dev/vcs1", unix.O_RDONLY, 0) }},
	{Name: "the console", Root: true,
		try: func(World) error { return unixOpen("/dev/console", unix.O_WRONLY|unix.O_NOCTTY, 0) }},
	{Name: "another terminal by a link", try: func(w World) error {
		if err := os.Symlink(w.Terminal, w.Workspace+"/l"); err != nil {
			return err
		}
		return unixOpen(w.Workspace+"/l", unix.O_RDWR|unix.O_NOCTTY, 0)
	}},
	{Name: "another terminal from its folder", try: func(w World) error {
		dir, err := unix.Open(filepath.Dir(w.Terminal), unix.O_PATH, 0)
		if err != nil {
			return err
		}
		fd, err := unix.Openat(dir, filepath.Base(w.Terminal), unix.O_RDWR|unix.O_NOCTTY, 0)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}},
	{Name: "another terminal by a handle", try: func(w World) error {
		fd, err := unix.Open(w.Terminal, unix.O_PATH, 0)
		if err != nil {
			return err
		}
		return unixOpen(descriptorName(fd), unix.O_RDWR|unix.O_NOCTTY, 0)
	}},
	{Name: "serve outside by a link of the workspace", near: true, try: func(w World) error {
		if err := os.Symlink(w.Outside, w.Workspace+"/l"); err != nil {
			return err
		}
		return seen(w.Outside+"/s", unix.S_IFSOCK, listenAt(w.Workspace+"/l/s"))
	}},
	{Name: "serve in a shared folder by a link of the workspace", near: true,
		try: func(w World) error {
			if err := os.Symlink(w.Shared+"/folder", w.Workspace+"/l"); err != nil {
				return err
			}
			return seen(w.Shared+"/folder/s", unix.S_IFSOCK, listenAt(w.Workspace+"/l/s"))
		}},
	{Name: "serve in the working directory outside", near: true, try: func(w World) error {
		if err := os.Chdir(w.Outside); err != nil {
			return err
		}
		return seen(w.Outside+"/s", unix.S_IFSOCK, listenAt("s"))
	}},
	{Name: "serve outside, a folder of the name swapped", near: true, try: serveRace},
	{Name: "mkdir outside, a folder of the name swapped", try: func(w World) error {
		return folderRace(w, w.Outside, "/made", func(name string) {
			_ = unix.Mkdir(name, 0o700)
			_ = unix.Rmdir(w.Workspace + "/a/made")
		})
	}},
	{Name: "link outside, a folder of the name swapped", try: func(w World) error {
		return folderRace(w, w.Shared+"/folder", "/made", func(name string) {
			_ = unix.Symlink("x", name)
			_ = unix.Unlink(w.Workspace + "/a/made")
		})
	}},
	{Name: "write a descriptor that a child may write", try: func(w World) error {
		// what may be written by one process is not for others by its number
		return unixOpen(fmt.Sprintf("/proc/%d/fd/%d", w.Launcher, w.leakNumber()), unix.O_WRONLY, 0)
	}},
}

// leakNumber is the number of the leaked file in the launcher, which is among the first ones.
func (w World) leakNumber() int {
	for fd := 3; fd < 256; fd++ {
		name, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", w.Launcher, fd))
		if err == nil && filepath.Base(name) == "leak" {
			return fd
		}
	}
	return 0
}

// folderRace acts on a name below a folder which another thread exchanges with a link to the
// target, until there is something at the name in the target.
func folderRace(w World, target, name string, act func(name string)) error {
	top := w.Workspace + "/a"
	if err := errors.Join(os.Mkdir(top, 0o700),
		os.Symlink(target, w.Workspace+"/b")); err != nil {
		return err
	}
	var done atomic.Bool
	defer done.Store(true)
	go func() {
		for !done.Load() {
			_ = unix.Renameat2(unix.AT_FDCWD, top, unix.AT_FDCWD, w.Workspace+"/b",
				unix.RENAME_EXCHANGE)
		}
	}()
	for range tries(races) {
		act(top + name)
		var st unix.Stat_t
		if unix.Lstat(target+name, &st) == nil {
			return nil
		}
	}
	return errors.New("it was never made there")
}

func serveRace(w World) error {
	return folderRace(w, w.Outside, "/s", func(name string) {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return
		}
		_ = unix.Bind(fd, &unix.SockaddrUnix{Name: name})
		unix.Close(fd)
		_ = unix.Unlink(w.Workspace + "/a/s")
	})
}
