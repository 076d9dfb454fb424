package undo

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// A hand changes a tree as a run does whose calls a broker notes before they are made. Calls may
// fail, also after they were noted.
type hand struct {
	j   *Journal
	log []string
	err error // of a note
}

func (h *hand) say(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

func (h *hand) noted(err error) bool {
	if err != nil && h.err == nil {
		h.err = fmt.Errorf("%s: %w", h.log[len(h.log)-1], err)
	}
	return err == nil
}

// entry notes a call about an entry and makes it.
func (h *hand) entry(path string, note func(*Journal, int, string, string) error,
	call func(fd int, name string) error) {
	fd, in, name, err := folderOf(path)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if h.noted(note(h.j, fd, in, name)) {
		_ = call(fd, name)
	}
}

// makes announces an entry as a broker does.
func makes(j *Journal, dir int, in, name string) error {
	if j.MakeNext(dir, name) {
		return nil
	}
	return j.Make(dir, in, name)
}

func (h *hand) create(path, text string, flags int) {
	h.say("create %q", path)
	h.entry(path, makes, func(fd int, name string) error {
		n, err := unix.Openat(fd, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|flags, 0o640)
		if err == nil {
			_, _ = unix.Write(n, []byte(text))
			unix.Close(n)
		}
		return err
	})
}

func (h *hand) mkdir(path string) {
	h.say("mkdir %q", path)
	h.entry(path, (*Journal).Make, func(fd int, name string) error {
		return unix.Mkdirat(fd, name, 0o755)
	})
}

func (h *hand) symlink(path, target string) {
	h.say("symlink %q", path)
	h.entry(path, (*Journal).Make, func(fd int, name string) error {
		return unix.Symlinkat(target, fd, name)
	})
}

func (h *hand) mkfifo(path string) {
	h.say("mkfifo %q", path)
	h.entry(path, (*Journal).Make, func(fd int, name string) error {
		return unix.Mknodat(fd, name, unix.S_IFIFO|0o600, 0)
	})
}

func (h *hand) link(from, path string) {
	h.say("link %q %q", from, path)
	h.inode(from, (*Journal).Mark, func(string) {}) // it gets one more name
	h.entry(path, (*Journal).Make, func(fd int, name string) error {
		return unix.Linkat(unix.AT_FDCWD, from, fd, name, 0)
	})
}

func (h *hand) remove(path string, flags int) {
	h.say("remove %q %d", path, flags)
	h.entry(path, (*Journal).Remove, func(fd int, name string) error {
		return unix.Unlinkat(fd, name, flags)
	})
}

func (h *hand) removeAll(path string) {
	list, _ := os.ReadDir(path)
	for _, d := range list {
		if sub := filepath.Join(path, d.Name()); d.IsDir() {
			h.removeAll(sub)
		} else {
			h.remove(sub, 0)
		}
	}
	h.remove(path, unix.AT_REMOVEDIR)
}

func (h *hand) rename(from, to string, flags uint) {
	h.say("rename %q %q %d", from, to, flags)
	a, in, name, err := folderOf(from)
	if err != nil {
		return
	}
	defer unix.Close(a)
	b, toIn, toName, err := folderOf(to)
	if err != nil {
		return
	}
	defer unix.Close(b)
	if h.noted(h.j.Move(a, in, name, b, toIn, toName, flags == unix.RENAME_EXCHANGE)) {
		_ = unix.Renameat2(a, name, b, toName, flags)
	}
}

// inode notes a call about an inode and makes it.
func (h *hand) inode(path string, note func(*Journal, int, string) error, call func(string)) {
	n, err := open(unix.AT_FDCWD, path, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer unix.Close(n)
	if h.noted(note(h.j, n, path)) {
		call(path)
	}
}

func (h *hand) rewrite(path, text string, flags int, at int64) {
	h.say("write %q %d at %d", path, len(text), at)
	h.inode(path, (*Journal).Write, func(string) {
		if s, err := look(unix.AT_FDCWD, path); err != nil || !s.Regular() {
			return
		}
		n, err := unix.Open(path, unix.O_WRONLY|flags, 0)
		if err == nil {
			_, _ = unix.Pwrite(n, []byte(text), at)
			unix.Close(n)
		}
	})
}

func (h *hand) truncate(path string, size int64) {
	h.say("truncate %q %d", path, size)
	h.inode(path, (*Journal).Write, func(string) {
		if s, err := look(unix.AT_FDCWD, path); err == nil && s.Regular() {
			_ = unix.Truncate(path, size)
		}
	})
}

func (h *hand) chmod(path string, mode uint32) {
	h.say("chmod %q %o", path, mode)
	h.inode(path, (*Journal).Mark, func(string) {
		if s, err := look(unix.AT_FDCWD, path); err == nil && !s.Link() {
			_ = hermetic.Chmod(path, fs.FileMode(mode))
		}
	})
}

func (h *hand) touch(path string, sec int64) {
	h.say("touch %q %d", path, sec)
	h.inode(path, (*Journal).Mark, func(string) {
		_ = unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{{Sec: sec}, {Sec: sec}},
			unix.AT_SYMLINK_NOFOLLOW)
	})
}

func (h *hand) setxattr(path, value string) {
	h.say("setxattr %q %q", path, value)
	h.inode(path, (*Journal).Mark, func(string) {
		_ = unix.Lsetxattr(path, "user.test", []byte(value), 0)
	})
}

// names are few, so that they meet.
var names = []string{"a", "b", "c", "new\nline", "not\xffutf8", "." + strings.Repeat("n", 254)}

// pick returns a path in the tree: mostly one that exists.
func pick(r *rand.Rand, tree string) string {
	var all, folders []string
	_ = filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != tree {
			all = append(all, path)
		}
		if err == nil && d.IsDir() && len(path) < 2500 {
			folders = append(folders, path)
		}
		return nil
	})
	if len(all) > 0 && r.IntN(3) > 0 {
		return all[r.IntN(len(all))]
	}
	return filepath.Join(folders[r.IntN(len(folders))], names[r.IntN(len(names))])
}

// random makes one random change.
func (h *hand) random(r *rand.Rand, tree string) {
	path := pick(r, tree)
	text := fmt.Sprint(r.Uint64(), r.Uint64())[:1+r.IntN(20)]
	switch r.IntN(17) {
	case 0, 1:
		h.create(path, text, 0)
	case 2:
		h.rewrite(path, text, 0, int64(r.IntN(10)))
	case 3:
		h.rewrite(path, text, unix.O_APPEND, 0)
	case 4:
		h.rewrite(path, text, unix.O_TRUNC, 0)
	case 5:
		h.truncate(path, int64(r.IntN(30)))
	case 6:
		h.remove(path, 0)
	case 7, 8:
		h.rename(path, pick(r, tree), 0)
	case 9:
		h.rename(path, pick(r, tree), unix.RENAME_EXCHANGE)
	case 10:
		h.link(path, pick(r, tree))
	case 11:
		h.symlink(path, text)
	case 12:
		h.mkdir(path)
	case 13:
		if r.IntN(4) == 0 {
			h.removeAll(path)
		} else {
			h.remove(path, unix.AT_REMOVEDIR)
		}
	case 14:
		h.chmod(path, uint32(r.IntN(0o1000))&^uint32(0o111*r.IntN(2)))
	case 15:
		if h.touch(path, int64(r.IntN(1e9))); r.IntN(3) == 0 {
			h.mkfifo(pick(r, tree))
		}
	case 16:
		h.setxattr(path, text)
	}
}
