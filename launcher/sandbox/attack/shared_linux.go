//go:build amd64 || arm64

package attack

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// shared are attacks on what other programs keep and look for in the directories that all share.
// The first seven took over programs outside.
var shared = []Attack{
	{Name: "serve in the place of tmux", near: true, try: func(w World) error {
		os.Remove(w.Shared + "/tmux-0/default")
		return listenAt(w.Shared + "/tmux-0/default")
	}},
	{Name: "serve where psql looks", near: true,
		try: func(w World) error { return listenAt(w.Shared + "/.s.PGSQL.5432") }},
	{Name: "swap what a compiler has written", try: func(w World) error {
		return replace(w.Shared+"/cc1.s", w.Shared+"/mine")
	}},
	{Name: "change a script before it runs", try: func(w World) error {
		return overwrite(w.Shared+"/tmp.script", os.O_WRONLY)
	}},
	{Name: "remove a socket that all use",
		try: func(w World) error { return os.Remove(w.Shared + "/daemon.sock") }},
	{Name: "serve in the place of a daemon", near: true, try: func(w World) error {
		if err := os.Rename(w.Shared+"/daemon.sock", w.Shared+"/old"); err != nil {
			return err
		}
		return listenAt(w.Shared + "/daemon.sock")
	}},
	{Name: "remove a lock", try: func(w World) error { return os.Remove(w.Shared + "/lock") }},

	{Name: "append to a shared file",
		try: func(w World) error { return overwrite(w.Shared+"/cc1.s", os.O_WRONLY|os.O_APPEND) }},
	{Name: "open a shared file for both",
		try: func(w World) error { return overwrite(w.Shared+"/cc1.s", os.O_RDWR) }},
	{Name: "empty a shared file by opening it", try: func(w World) error {
		return unixOpen(w.Shared+"/cc1.s", unix.O_RDONLY|unix.O_TRUNC, 0)
	}},
	{Name: "cut a shared file",
		try: func(w World) error { return os.Truncate(w.Shared+"/cc1.s", 1) }},
	{Name: "move a shared file away",
		try: func(w World) error { return os.Rename(w.Shared+"/cc1.s", w.Shared+"/away") }},
	{Name: "move a shared file to the workspace",
		try: func(w World) error { return os.Rename(w.Shared+"/cc1.s", w.Workspace+"/away") }},
	{Name: "exchange a shared file", try: func(w World) error {
		_ = os.WriteFile(w.Shared+"/mine", []byte("x"), 0o600)
		return unix.Renameat2(unix.AT_FDCWD, w.Shared+"/mine", unix.AT_FDCWD, w.Shared+"/cc1.s",
			unix.RENAME_EXCHANGE)
	}},
	{Name: "link a shared file", try: func(w World) error {
		return os.Link(w.Shared+"/cc1.s", w.Shared+"/linked")
	}},
	{Name: "link an own file over there", try: func(w World) error {
		return os.Link(w.Workspace+"/own", w.Shared+"/linked")
	}},
	{Name: "write a shared file through an own link", try: func(w World) error {
		_ = os.Symlink(w.Shared+"/cc1.s", w.Workspace+"/l")
		return overwrite(w.Workspace+"/l", os.O_WRONLY)
	}},
	{Name: "write a shared file by a handle", try: func(w World) error {
		fd, err := unix.Open(w.Shared+"/cc1.s", unix.O_PATH, 0)
		if err != nil {
			return err
		}
		return overwrite(descriptorName(fd), os.O_WRONLY)
	}},
	{Name: "write a shared file that is open for reading", try: func(w World) error {
		fd, err := unix.Open(w.Shared+"/cc1.s", unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return overwrite("/dev/fd/"+strconv.Itoa(fd), os.O_WRONLY)
	}},
	{Name: "chmod a shared file", Lost: sandbox.Metadata,
		try: func(w World) error { return os.Chmod(w.Shared+"/cc1.s", 0o666) }},
	{Name: "age a shared file", Lost: sandbox.Metadata, try: func(w World) error {
		return os.Chtimes(w.Shared+"/cc1.s", time.Unix(1, 0), time.Unix(1, 0))
	}},
	{Name: "make a file in a shared folder", try: func(w World) error {
		return os.WriteFile(w.Shared+"/folder/new", nil, 0o600)
	}},
	{Name: "make a folder in a shared folder",
		try: func(w World) error { return os.Mkdir(w.Shared+"/folder/new", 0o700) }},
	{Name: "move into a shared folder", try: func(w World) error {
		_ = os.WriteFile(w.Shared+"/mine", nil, 0o600)
		return os.Rename(w.Shared+"/mine", w.Shared+"/folder/mine")
	}},
	{Name: "remove what is in a shared folder",
		try: func(w World) error { return os.Remove(w.Shared + "/folder/file") }},
	{Name: "move a shared folder",
		try: func(w World) error { return os.Rename(w.Shared+"/folder", w.Shared+"/away") }},
	{Name: "a nameless file in a shared folder", try: func(w World) error {
		return unixOpen(w.Shared+"/folder", unix.O_TMPFILE|unix.O_RDWR, 0o600)
	}},
	{Name: "make tmux's folder",
		try: func(w World) error { return os.Mkdir(w.Shared+"/tmux-1", 0o700) }},
	{Name: "make ssh's folder",
		try: func(w World) error { return os.Mkdir(w.Shared+"/ssh-x", 0o700) }},
	{Name: "make X's folder",
		try: func(w World) error { return os.Mkdir(w.Shared+"/.X11-unix", 0o777) }},
	{Name: "make a hidden name", try: func(w World) error {
		return os.WriteFile(w.Shared+"/.attach_pid7", nil, 0o600)
	}},
	{Name: "make a ticket of root's", try: func(w World) error {
		return os.WriteFile(w.Shared+"/krb5cc_0", nil, 0o600)
	}},
	{Name: "name an own folder as a custom one", try: func(w World) error {
		if err := os.Mkdir(w.Shared+"/mine", 0o700); err != nil {
			return err
		}
		return os.Rename(w.Shared+"/mine", w.Shared+"/tmux-1")
	}},
	{Name: "link a custom name", try: func(w World) error {
		_ = os.WriteFile(w.Shared+"/mine", nil, 0o600)
		return os.Link(w.Shared+"/mine", w.Shared+"/.x")
	}},
	{Name: "a fifo that is seen outside", try: func(w World) error {
		return seen(w.Shared+"/fifo", unix.S_IFIFO, unix.Mkfifo(w.Shared+"/fifo", 0o600))
	}},
	{Name: "a socket that is seen outside", near: true, try: func(w World) error {
		return seen(w.Shared+"/s", unix.S_IFSOCK, listenAt(w.Shared+"/s"))
	}},
	{Name: "a socket file by mknod",
		try: func(w World) error { return unix.Mknod(w.Shared+"/s", unix.S_IFSOCK|0o600, 0) }},
	{Name: "a sticky bit by a descriptor", try: func(w World) error {
		fd, err := unix.Open(w.Shared+"/mine", unix.O_CREAT|unix.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		return unix.Fchmod(fd, 0o600|unix.S_ISVTX)
	}},
	{Name: "a link that leads out", try: func(w World) error {
		return os.Symlink(w.Outside+"/file", w.Shared+"/report")
	}},
	{Name: "a link that leads out by dots", try: func(w World) error {
		return os.Symlink("../outside/file", w.Shared+"/report")
	}},
	{Name: "a link that leads out behind another", try: func(w World) error {
		_ = os.MkdirAll(w.Shared+"/mine/a", 0o700)
		if err := os.Symlink("a", w.Shared+"/mine/b"); err != nil {
			return err
		}
		return os.Symlink("mine/b/../../../outside/file", w.Shared+"/report")
	}},
	{Name: "a link that leads to a shared file",
		try: func(w World) error { return os.Symlink("cc1.s", w.Shared+"/report") }},
	{Name: "a link that is moved until it leads out", try: func(w World) error {
		_ = os.MkdirAll(w.Shared+"/mine/a", 0o700)
		if err := os.Symlink("../cc1.s", w.Shared+"/mine/a/l"); err != nil {
			return err
		}
		return os.Rename(w.Shared+"/mine/a/l", w.Shared+"/mine/l")
	}},
	{Name: "a folder with a link that is moved", try: func(w World) error {
		_ = os.MkdirAll(w.Shared+"/mine/a/b", 0o700)
		_ = os.WriteFile(w.Shared+"/mine/cc1.s", nil, 0o600)
		if err := os.Symlink("../../cc1.s", w.Shared+"/mine/a/b/l"); err != nil {
			return err
		}
		return os.Rename(w.Shared+"/mine/a/b", w.Shared+"/mine/b")
	}},
	{Name: "a link from the workspace moved there", try: func(w World) error {
		_ = os.Symlink(w.Outside+"/file", w.Workspace+"/l")
		return os.Rename(w.Workspace+"/l", w.Shared+"/report")
	}},
	{Name: "shared file swapped in by another thread", try: sharedRace},
	{Name: "name in memory swapped by another thread", try: nameRace},
	{Name: "link to a shared file swapped in by another thread", try: backRace},
	{Name: "make in a shared folder that another thread goes to", try: makeRace},
	{Name: "write in a shared folder that another thread goes to", try: writeRace},
}

// replace puts an own file in the place of another.
func replace(name, own string) error {
	if err := os.WriteFile(own, []byte("x"), 0o600); err != nil {
		return err
	}
	return os.Rename(own, name)
}

// listenAt serves at a name.
func listenAt(name string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: name}); err != nil {
		return err
	}
	return unix.Listen(fd, 1)
}

// seen reports whether programs outside see what was made: a link to a place that only the run has
// does not count.
func seen(name string, kind uint32, err error) error {
	if err != nil {
		return err
	}
	var st unix.Stat_t
	if err := unix.Lstat(name, &st); err != nil || st.Mode&unix.S_IFMT != kind {
		return fmt.Errorf("it is not seen: %v", err)
	}
	return nil
}
