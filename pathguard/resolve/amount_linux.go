package resolve

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse/command"
)

// The bounds of a count, for all targets of a plan together: what is larger is told as more than
// that. They keep the question about a home directory from waiting for its disk.
const (
	maxCounted = 10_000 // entries
	maxDeep    = 64     // directories, each of which is open while what is in it is counted
)

// Amounts counts what is at the targets that are deleted now, by their paths: each on its own
// filesystem, without following a symbolic link. Targets of which the plan holds no file are
// missing.
func (p *Plan) Amounts() map[string]Amount {
	c := counter{left: maxCounted, links: map[walk.ID]uint64{}, amounts: map[string]Amount{}}
	c.plan(p)
	return c.amounts
}

type counter struct {
	left    int
	links   map[walk.ID]uint64 // names seen of files that have several
	amounts map[string]Amount
	dev     uint64 // of the present target
}

func (c *counter) plan(p *Plan) {
	for i := range p.Targets {
		t := &p.Targets[i]
		if _, done := c.amounts[t.Path()]; done || t.Right != command.Delete || !t.Exists ||
			t.file == nil {
			continue
		}
		var a Amount
		if err := t.file.Use(func(fd int) error { return c.target(&a, fd) }); err == nil {
			c.amounts[t.Path()] = a
		}
	}
	for _, in := range p.Inner {
		c.plan(in.Plan)
	}
}

func (c *counter) target(a *Amount, fd int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		c.file(a, &st)
		return nil
	}
	a.Dir, c.dev = true, st.Dev
	c.below(a, fd, ".", maxDeep)
	return nil
}

// file counts a file. Its bytes are lost with its last name.
func (c *counter) file(a *Amount, st *unix.Stat_t) {
	a.Files++
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return
	}
	if st.Nlink > 1 {
		id := walk.ID{Dev: st.Dev, Ino: st.Ino}
		if c.links[id]++; c.links[id] != uint64(st.Nlink) {
			return
		}
	}
	a.Bytes += st.Size
}

// below counts what is in a directory, as long as entries are left.
func (c *counter) below(a *Amount, dir int, name string, deep int) {
	if deep == 0 {
		a.More = true
		return
	}
	fd, err := unix.Openat(dir, name,
		unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		a.More = true
		return
	}
	f := os.NewFile(uintptr(fd), "directory")
	defer f.Close()
	for {
		names, err := f.Readdirnames(256)
		for _, name := range names {
			if c.left--; c.left < 0 {
				a.More = true
				return
			}
			c.entry(a, fd, name, deep)
		}
		if err != nil || len(names) == 0 {
			a.More = a.More || err != nil && !errors.Is(err, io.EOF)
			return
		}
	}
}

func (c *counter) entry(a *Amount, dir int, name string, deep int) {
	var st unix.Stat_t
	err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case errors.Is(err, unix.ENOENT): // gone since
	case err != nil:
		a.More = true
	case st.Mode&unix.S_IFMT != unix.S_IFDIR:
		c.file(a, &st)
	case st.Dev != c.dev:
		a.More = true
	default:
		c.below(a, dir, name, deep-1)
	}
}
