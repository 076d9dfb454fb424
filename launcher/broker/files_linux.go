//go:build amd64 || arm64

package broker

import (
	"errors"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/view"
)

// files is the customer for entries that are made, changed and removed in the directories that all
// programs share (Profile.View), and where something is hidden or read-only (Profile.Guard).
// Landlock grants no right there, so the kernel by itself refuses everything; the broker makes
// those calls that are about entries of this workspace's own, or about nothing guarded. It leaves
// to the kernel anything that it is not sure of, and everything that is elsewhere: that gives
// nothing away.
type files struct {
	view   *View
	guard  *guard // nil without one
	shared sharedDirs
	trees  *trees
	work   *workers
	umask  umasks
	told   refusals
	people accounts
	member func(pid int) bool

	own insides

	*inPlace
	book book
}

// A book is the ledger, which is opened when something in the view is first made or changed: most
// runs never do.
type book struct {
	changing sync.Mutex // one change at a time, so that none comes between a look and its change
	keeper   keeper     // see Capture.Strict

	once sync.Once
	made *view.Ledger
}

func newFiles(p *Profile, trees *trees, member func(pid int) bool) *files {
	if p.View == nil && p.Guard == nil && !p.Terminals && p.Changes == nil {
		return nil
	}
	v := p.View
	if v == nil {
		v = &View{}
	}
	return &files{
		view: v, guard: newGuard(p), trees: trees, work: newWorkers(),
		member: member, umask: umasks{uid: uint32(os.Geteuid())},
		own:     insides{links: map[string]string{}, ended: make(chan struct{})},
		inPlace: newInPlace(p, trees), book: book{keeper: lax{}},
	}
}

func (f *files) ledger() *view.Ledger {
	f.book.once.Do(func() {
		var names []string
		for _, d := range f.dirs() {
			names = append(names, d.name)
		}
		var err error
		var damaged *view.DamagedError
		f.book.made, err = view.OpenLedger(f.view.Ledger, names)
		if errors.As(err, &damaged) {
			f.told.add(&call{}, damaged.Name,
				"a record in it is damaged, so nothing counts as made here; try to remove it")
		}
	})
	return f.book.made
}

// The sharedDirs are opened when they are first asked for: most runs never do.
type sharedDirs struct {
	once sync.Once
	list []viewDir
}

// A viewDir is one of the shared directories, open as a handle.
type viewDir struct {
	name     string
	fd       int
	dev, ino uint64
	seen     bool // see spot
}

func (f *files) dirs() []viewDir {
	f.shared.once.Do(func() {
		for _, name := range f.view.Dirs {
			var st unix.Stat_t
			fd, err := unix.Open(name,
				unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
			if err != nil {
				continue
			}
			if unix.Fstat(fd, &st) != nil {
				unix.Close(fd)
				continue
			}
			f.shared.list = append(f.shared.list,
				viewDir{name, fd, st.Dev, st.Ino, isSeen(st.Uid, st.Mode)})
		}
	})
	return f.shared.list
}

// isSeen reports whether the caller may look into a folder: root without capabilities may not
// always.
func isSeen(uid, mode uint32) bool { return os.Geteuid() != 0 || uid == 0 || mode&1 != 0 }

func (s *sharedDirs) close() {
	for _, d := range s.list {
		unix.Close(d.fd)
	}
}

// inView reports whether name is below one of the shared directories, and not in a tree that the
// plan grants.
func (f *files) inView(name string) bool {
	for _, d := range f.dirs() {
		if within(name, d.name) && name != d.name {
			return !f.trees.holds(name)
		}
	}
	return false
}

// ours reports whether a run of this workspace has made what statx has looked at.
func (f *files) ours(st *unix.Statx_t) bool {
	id, ok := view.Identify(st)
	return ok && f.ledger().Has(id)
}

// opened reports whether the runs may make entries in a folder that another program made: one for
// temporary files that the caller names, and the scratch folders of agents.
func (f *files) opened(name string, st *unix.Statx_t) bool {
	if int(st.Uid) != os.Geteuid() {
		return false
	}
	return matches(f.view.Open, name)
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// named reports whether a person has allowed this very name to be changed, or one above it.
func (f *files) named(name string) bool {
	return slices.ContainsFunc(f.view.Named, func(t string) bool {
		return name == t || strings.HasSuffix(t, "/") && strings.HasPrefix(name, t)
	})
}

func (f *files) hidden(name string) bool {
	return withinAny(name, f.view.Hide)
}

// Account and Outside make the customer a view.Machine.
func (f *files) Account(name string) bool { return f.people.has(name) }

func (f *files) Outside(pid int) bool {
	if unix.Kill(pid, 0) == unix.ESRCH || f.member(pid) {
		return false
	}
	// A thread of the kernel has no program that would look for files.
	_, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	return !errors.Is(err, unix.ENOENT)
}
