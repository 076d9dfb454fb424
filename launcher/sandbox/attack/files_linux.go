//go:build amd64 || arm64

package attack

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// files are attacks on files outside the writable trees.
var files = []Attack{
	{Name: "read outside", try: func(w World) error { return read(w.Outside + "/file") }},
	{Name: "read hidden file", try: func(w World) error { return read(w.Secret) }},
	{Name: "read file in hidden folder",
		try: func(w World) error { return read(w.Hidden + "/key") }},
	{Name: "list hidden folder",
		try: func(w World) error { _, err := os.ReadDir(w.Hidden); return err }},
	{Name: "write outside", try: func(w World) error {
		return os.WriteFile(w.Outside+"/file", []byte("x"), 0o600)
	}},
	{Name: "create outside", try: func(w World) error {
		return os.WriteFile(w.Outside+"/new", []byte("x"), 0o600)
	}},
	{Name: "truncate outside", try: func(w World) error {
		return os.Truncate(w.Outside+"/file", 0)
	}},
	{Name: "delete outside", try: func(w World) error { return os.Remove(w.Outside + "/spare") }},
	{Name: "rename outside", try: func(w World) error {
		return os.Rename(w.Outside+"/file", w.Outside+"/moved")
	}},
	{Name: "hold up writers by a lease", try: func(w World) error {
		fd, err := unix.Open(w.Open, unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		_, err = unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_RDLCK)
		return err
	}},
	{Name: "hard link in", try: func(w World) error {
		return os.Link(w.Outside+"/file", w.Workspace+"/in")
	}},
	{Name: "hard link out", try: func(w World) error {
		return os.Link(w.Workspace+"/own", w.Outside+"/out")
	}},
	{Name: "move out", try: func(w World) error {
		return os.Rename(w.Workspace+"/own", w.Outside+"/out")
	}},
	{Name: "exchange in and out", try: func(w World) error {
		return unix.Renameat2(unix.AT_FDCWD, w.Workspace+"/own", unix.AT_FDCWD, w.Outside+"/file",
			unix.RENAME_EXCHANGE)
	}},
	{Name: "symlink to secret", try: func(w World) error {
		os.Symlink(w.Secret, w.Workspace+"/link")
		return read(w.Workspace + "/link")
	}},
	{Name: "symlink swap", try: swapRace},
	{Name: "reopen O_PATH", try: func(w World) error {
		fd, err := unix.Open(w.Secret, unix.O_PATH, 0)
		if err != nil {
			return err
		}
		return read(descriptorName(fd))
	}},
	{Name: "unix socket file outside",
		try: func(w World) error { return unix.Mknod(w.Outside+"/sock", unix.S_IFSOCK|0o600, 0) }},

	{Name: "chmod outside", Lost: sandbox.Metadata,
		try: func(w World) error { return os.Chmod(w.Outside+"/file", 0o644) }},
	{Name: "chown outside", Lost: sandbox.Metadata,
		try: func(w World) error { return os.Chown(w.Outside+"/file", os.Getuid(), os.Getgid()) }},
	{Name: "utime outside", Lost: sandbox.Metadata, try: func(w World) error {
		return os.Chtimes(w.Outside+"/file", time.Unix(1, 0), time.Unix(1, 0))
	}},
	{Name: "xattr outside", Lost: sandbox.Metadata, try: func(w World) error {
		return unix.Setxattr(w.Outside+"/file", "user.x", []byte("x"), 0)
	}},
	{Name: "change kept file", Lost: sandbox.Keeping,
		try: func(w World) error { return os.WriteFile(w.Kept, []byte("x"), 0o600) }},
	{Name: "move folder of kept file", Lost: sandbox.Keeping, try: func(w World) error {
		return os.Rename(filepath.Dir(w.Kept), filepath.Dir(w.Kept)+".old")
	}},

	{Name: "write into fifo outside", try: func(w World) error {
		fd, err := unix.Open(w.Outside+"/fifo", unix.O_WRONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		_, err = unix.Write(fd, []byte("x"))
		return err
	}},
	{Name: "map outside file for writing", try: func(w World) error {
		fd, err := unix.Open(w.Outside+"/file", unix.O_RDWR, 0)
		if err != nil {
			return err
		}
		page, err := unix.Mmap(fd, 0, 1, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err == nil {
			page[0] = 'x'
		}
		return err
	}},
	{Name: "make a readable mapping writable", try: func(w World) error {
		// a file opened for reading only cannot be mapped so, sandbox or not
		fd, err := unix.Open(w.Open, unix.O_RDWR, 0)
		if err != nil {
			return err
		}
		page, err := unix.Mmap(fd, 0, 1, unix.PROT_READ, unix.MAP_SHARED)
		if err != nil {
			return err
		}
		return unix.Mprotect(page, unix.PROT_READ|unix.PROT_WRITE)
	}},
	{Name: "allocate in outside file", try: func(w World) error {
		fd, err := unix.Open(w.Outside+"/file", unix.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return unix.Fallocate(fd, 0, 0, 10)
	}},
	{Name: "write through readable descriptor", try: func(w World) error {
		fd, err := unix.Open(w.Open, unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return unixOpen(descriptorName(fd), unix.O_WRONLY, 0)
	}},
	{Name: "symlink outside", try: func(w World) error {
		return os.Symlink("x", w.Outside+"/link")
	}},
	{Name: "mkdir outside", try: func(w World) error { return os.Mkdir(w.Outside+"/dir", 0o700) }},
	{Name: "directory swapped for a link", try: func(w World) error {
		os.Mkdir(w.Workspace+"/d", 0o700)
		os.Rename(w.Workspace+"/d", w.Workspace+"/d.old")
		os.Symlink(w.Outside, w.Workspace+"/d")
		return os.WriteFile(w.Workspace+"/d/file", []byte("x"), 0o600)
	}},
	{Name: "rename beside a hidden file",
		try: func(w World) error { return os.Rename(w.Secret, w.Secret+".x") }},
	{Name: "copy range from secret", try: func(w World) error {
		in, err := unix.Open(w.Secret, unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		out, err := unix.Open(w.Workspace+"/copy", unix.O_CREAT|unix.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = unix.Sendfile(out, in, nil, 10)
		return err
	}},
	{Name: "secret by dot-dot from a moved directory", try: func(w World) error {
		os.MkdirAll(w.Workspace+"/a/b", 0o700)
		if err := os.Chdir(w.Workspace + "/a/b"); err != nil {
			return err
		}
		os.Rename(w.Workspace+"/a/b", w.Workspace+"/b")
		return read("../../readable/secret")
	}},
	{Name: "chmod outside by descriptor", Lost: sandbox.Metadata, try: func(w World) error {
		fd, err := unix.Open(w.Open, unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return unix.Fchmod(fd, 0o640)
	}},
	{Name: "utime outside by descriptor", Lost: sandbox.Metadata, try: func(w World) error {
		fd, err := unix.Open(w.Open, unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return unix.Futimes(fd, []unix.Timeval{{}, {}})
	}},
	{Name: "file flags outside", try: func(w World) error {
		fd, err := unix.Open(w.Open, unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		flags, err := unix.IoctlGetUint32(fd, unix.FS_IOC_GETFLAGS)
		if err != nil {
			return err
		}
		flags ^= 0x40 // not to be dumped
		return call(unix.SYS_IOCTL, uintptr(fd), unix.FS_IOC_SETFLAGS,
			uintptr(unsafe.Pointer(&flags)))
	}},
	{Name: "file version outside", try: func(w World) error {
		fd, err := unix.Open(w.Open, unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		version := uint64(7)
		return call(unix.SYS_IOCTL, uintptr(fd), 0x40086604, /* EXT4_IOC_SETVERSION */
			uintptr(unsafe.Pointer(&version)))
	}},
	{Name: "place blocks of an outside file", try: func(w World) error {
		fd, err := unix.Open(w.Open, unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return call(unix.SYS_IOCTL, uintptr(fd), 0x660c /* EXT4_IOC_ALLOC_DA_BLKS */, 0)
	}},
	{Name: "a device that a rename leaves", try: func(w World) error {
		name := w.Workspace + "/left"
		_ = os.WriteFile(name, nil, 0o600)
		return unix.Renameat2(unix.AT_FDCWD, name, unix.AT_FDCWD, name+"2", unix.RENAME_WHITEOUT)
	}},
}

// swapRace opens a name that another thread turns from an own file to a link to the secret and
// back.
func swapRace(w World) error {
	name, own, link := w.Workspace+"/swap", w.Workspace+"/own", w.Workspace+"/swap.link"
	os.Symlink(own, name)
	go func() {
		for i := 0; ; i++ {
			os.Remove(link)
			os.Symlink([]string{own, w.Secret}[i%2], link)
			os.Rename(link, name)
		}
	}()
	err := errors.New("the secret was never read")
	for range tries(races) {
		text, e := os.ReadFile(name)
		if e == nil && strings.HasPrefix(string(text), "secret") {
			return nil
		}
	}
	return err
}
