package resolve

import (
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/pathname"
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
	root    string // the workspace, if its index was read
	index   gitIndex
	read    bool // the index, or in vain
}

// known reads the index of the workspace, when the first target in it is counted.
func (c *counter) known(workspace, path string) bool {
	if workspace == "" || !pathname.Within(path, workspace) ||
		pathname.Within(path, workspace+"/.git") { // git has no copy of itself
		return false
	}
	if !c.read {
		c.read = true
		fd, err := walk.OpenIn(unix.AT_FDCWD, workspace+"/.git", unix.O_DIRECTORY)
		if err != nil { // a worktree, or no repository
			return false
		}
		defer unix.Close(fd)
		if text, ok := readFile(fd, "index", maxIndex); ok {
			c.root, c.index = workspace, readIndex(text)
		}
	}
	return c.index != nil
}

func (c *counter) plan(p *Plan) {
	for i := range p.Targets {
		t := &p.Targets[i]
		if _, done := c.amounts[t.Path()]; done || t.Right != command.Delete || !t.Exists ||
			t.file == nil {
			continue
		}
		a := Amount{Only: -1}
		if c.known(p.Workspace, t.Path()) {
			a.Only = 0
		}
		if err := t.file.Use(func(fd int) error { return c.target(&a, fd, t.Path()) }); err == nil {
			c.amounts[t.Path()] = a
		}
	}
	for _, in := range p.Inner {
		c.plan(in.Plan)
	}
}

func (c *counter) target(a *Amount, fd int, path string) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		c.file(a, &st, path)
		return nil
	}
	a.Dir, c.dev = true, uint64(st.Dev)
	c.below(a, fd, place{".", path, maxDeep})
	return nil
}

// A place is a directory that is counted: its name in the one above, its path, and how many may be
// below it.
type place struct {
	name, path string
	deep       int
}

// file counts a file. Its bytes are lost with its last name.
func (c *counter) file(a *Amount, st *unix.Stat_t, path string) {
	a.Files++
	if a.Only >= 0 && !c.index.has(strings.TrimPrefix(path, c.root), st.Mtim.Sec, st.Mtim.Nsec,
		st.Size, uint32(st.Mode)) {
		a.Only++
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return
	}
	if st.Nlink > 1 {
		id := walk.IDOf(st)
		if c.links[id]++; c.links[id] != uint64(st.Nlink) {
			return
		}
	}
	a.Bytes += st.Size
}

// below counts what is in a directory, as long as entries are left.
func (c *counter) below(a *Amount, dir int, at place) {
	if at.deep == 0 {
		a.More = true
		return
	}
	fd, err := unix.Openat(dir, at.name,
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
			c.entry(a, fd, place{name, at.path + "/" + name, at.deep - 1})
		}
		if err != nil || len(names) == 0 {
			a.More = a.More || err != nil && !errors.Is(err, io.EOF)
			return
		}
	}
}

func (c *counter) entry(a *Amount, dir int, at place) {
	var st unix.Stat_t
	err := unix.Fstatat(dir, at.name, &st, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case errors.Is(err, unix.ENOENT): // gone since
	case err != nil:
		a.More = true
	case st.Mode&unix.S_IFMT != unix.S_IFDIR:
		c.file(a, &st, at.path)
	case uint64(st.Dev) != c.dev:
		a.More = true
	default:
		c.below(a, dir, at)
	}
}
