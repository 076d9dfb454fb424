//go:build amd64 || arm64

package attack

import (
	"errors"
	"os"
	"strconv"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// linked are attacks on files outside that have another name, a hard link, in the workspace. Each
// writes to the file in place.
var linked = []Attack{
	{Name: "write a linked file",
		try: func(w World) error { return overwrite(w.linked(), os.O_WRONLY) }},
	{Name: "append to a linked file",
		try: func(w World) error { return overwrite(w.linked(), os.O_WRONLY|os.O_APPEND) }},
	{Name: "open a linked file for both",
		try: func(w World) error { return overwrite(w.linked(), os.O_RDWR|os.O_CREATE) }},
	{Name: "empty a linked file", try: func(w World) error {
		return unixOpen(w.linked(), unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC, 0o600)
	}},
	{Name: "empty a linked file by reading it", try: func(w World) error {
		return unixOpen(w.linked(), unix.O_RDONLY|unix.O_TRUNC, 0)
	}},
	{Name: "cut a linked file", try: func(w World) error { return os.Truncate(w.linked(), 1) }},
	{Name: "write a linked package",
		try: func(w World) error { return overwrite(w.linkedPackage(), os.O_WRONLY) }},
	{Name: "write a linked file from its folder", try: func(w World) error {
		dir, err := unix.Open(w.Workspace, unix.O_PATH|unix.O_DIRECTORY, 0)
		if err != nil {
			return err
		}
		fd, err := unix.Openat(dir, "sub/../theirs", unix.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = unix.Write(fd, []byte("x"))
		return err
	}},
	{Name: "write a linked file by openat2", try: func(w World) error {
		fd, err := unix.Openat2(unix.AT_FDCWD, w.linked(), &unix.OpenHow{Flags: unix.O_WRONLY})
		if err != nil {
			return err
		}
		_, err = unix.Write(fd, []byte("x"))
		return err
	}},
	{Name: "write a handle of a linked file", try: func(w World) error {
		return rewrite(w.linked(), unix.O_PATH, "/proc/self/fd/", false)
	}},
	{Name: "write a linked file that is open for reading",
		try: func(w World) error { return rewrite(w.linked(), unix.O_RDONLY, "/dev/fd/", false) }},
	{Name: "write a linked file whose name here has gone",
		try: func(w World) error { return rewrite(w.linked(), unix.O_RDONLY, "/dev/fd/", true) }},
	{Name: "write a linked file by another process's name", try: func(w World) error {
		return rewrite(w.linked(), unix.O_RDONLY, "/proc/"+strconv.Itoa(os.Getpid())+"/fd/", true)
	}},
	{Name: "write a linked file by a symbolic link", try: func(w World) error {
		if err := os.Symlink("../theirs", w.Workspace+"/sub/link"); err != nil {
			return err
		}
		return overwrite(w.Workspace+"/sub/link", os.O_WRONLY)
	}},
	{Name: "write a linked file by a new link", try: func(w World) error {
		if err := os.Link(w.linked(), w.Workspace+"/sub/link"); err != nil {
			return err
		}
		return overwrite(w.Workspace+"/sub/link", os.O_WRONLY)
	}},
	{Name: "write a linked file that is moved", try: func(w World) error {
		if err := os.Rename(w.linked(), w.Workspace+"/sub/moved"); err != nil {
			return err
		}
		return overwrite(w.Workspace+"/sub/moved", os.O_WRONLY)
	}},
	{Name: "linked file swapped by another thread", try: func(w World) error {
		name := []byte(w.Workspace + "/single\x00")
		last := len(name) - len("single\x00")
		return w.race(func() (int, error) { return openBytes(name, unix.O_WRONLY) },
			func(odd bool) {
				copy(name[last:], map[bool]string{true: "single", false: "theirs"}[odd])
			})
	}},
	{Name: "linked file in a folder that another thread goes to", try: func(w World) error {
		if err := errors.Join(os.WriteFile(w.Workspace+"/sub/theirs", nil, 0o600),
			unix.Chdir(w.Workspace+"/sub")); err != nil {
			return err
		}
		return w.race(func() (int, error) { return unix.Open("theirs", unix.O_WRONLY, 0) },
			func(odd bool) {
				_ = unix.Chdir(map[bool]string{true: w.Workspace, false: w.Workspace + "/sub"}[odd])
			})
	}},
	{Name: "linked file moved under a name", try: func(w World) error {
		return w.race(func() (int, error) { return unix.Open(w.Workspace+"/x", unix.O_WRONLY, 0) },
			func(odd bool) {
				_ = unix.Unlink(w.Workspace + "/y")
				_ = unix.Link(map[bool]string{true: w.single(), false: w.linked()}[odd],
					w.Workspace+"/y")
				_ = unix.Rename(w.Workspace+"/y", w.Workspace+"/x")
			})
	}},
	{Name: "linked file outside whose name comes and goes", try: func(w World) error {
		fd, err := unix.Open(w.linked(), unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		from := descriptorName(fd)
		return w.race(func() (int, error) { return unix.Open(from, unix.O_WRONLY, 0) },
			func(odd bool) {
				if odd {
					_ = unix.Unlink(w.linked())
					return
				}
				_ = unix.Linkat(unix.AT_FDCWD, from, unix.AT_FDCWD, w.linked(),
					unix.AT_SYMLINK_FOLLOW)
			})
	}},
	{Name: "linked file counted in two folders", try: func(w World) error {
		names := [2]string{w.Workspace + "/sub/counted", w.Workspace + "/conf/counted"}
		if err := os.Rename(w.linked(), names[0]); err != nil {
			return err
		}
		return w.race(func() (int, error) { return unix.Open(names[0], unix.O_WRONLY, 0) },
			func(odd bool) {
				from := map[bool]int{true: 0, false: 1}[odd]
				_ = unix.Rename(names[from], names[1-from])
			})
	}},
}

// rewrite opens a file and writes to what its number refers to, after its name has gone or before.
func rewrite(name string, flags int, by string, gone bool) error {
	fd, err := unix.Open(name, flags, 0)
	if err != nil {
		return err
	}
	if gone {
		if err := unix.Unlink(name); err != nil {
			return err
		}
	}
	return overwrite(by+strconv.Itoa(fd), os.O_WRONLY)
}

// race opens a file for writing until it is the linked one, while another thread makes changes.
func (w *World) race(open func() (int, error), change func(odd bool)) error {
	var theirs unix.Stat_t
	if err := unix.Stat(w.linked(), &theirs); err != nil {
		// it was moved
		if err := unix.Stat(w.Workspace+"/sub/counted", &theirs); err != nil {
			return err
		}
	}
	var done atomic.Bool
	defer done.Store(true)
	go func() {
		for i := 0; !done.Load(); i++ {
			change(i%2 == 0)
		}
	}()
	err := errors.New("the linked file was never opened")
	for range tries(races) {
		fd, e := open()
		if e != nil {
			continue
		}
		var st unix.Stat_t
		if unix.Fstat(fd, &st) == nil && st.Dev == theirs.Dev && st.Ino == theirs.Ino {
			return nil
		}
		unix.Close(fd)
	}
	return err
}
