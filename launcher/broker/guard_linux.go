//go:build amd64 || arm64

package broker

import (
	"path"
	"slices"

	"golang.org/x/sys/unix"
)

// A guard is what of the writable trees the kernel alone may not decide about, without mounts of
// the run's own: the directories between a tree and what is hidden or read-only in it. Landlock has
// no "all but"; a right on such a directory would be one on what is guarded. So it grants rights on
// their other entries, one by one, and none on the directories; what is made, changed and removed
// in them, and what has come there since the start, the broker makes and opens. What it leaves to
// the kernel, the kernel refuses.
type guard struct {
	*Guard
	dirs         map[string]bool // the trees in which something is guarded, and what leads to it
	hidden, kept map[string]bool // by the names at the start
	lead         map[string]bool
	held         []held // of what is hidden in the trees
}

// A held is something hidden, open as a handle: its name is known wherever it is moved from
// outside, and its number is no other's.
type held struct {
	fd     int
	id     Identity
	folder bool
}

func newGuard(p *Profile) *guard {
	if p.Guard == nil {
		return nil
	}
	g := &guard{Guard: p.Guard, dirs: map[string]bool{},
		hidden: names(p.Guard.Far), kept: names(p.Guard.Keep), lead: names(p.Guard.Lead)}
	for _, tree := range g.Trees {
		g.dirs[tree] = true
		for _, list := range [][]string{g.Hide, g.Keep} {
			for _, name := range list {
				for dir := name; dir != tree && within(dir, tree); {
					if dir = path.Dir(dir); g.dirs[dir] {
						break
					}
					g.dirs[dir] = true
				}
			}
		}
	}
	for _, name := range g.Hide {
		g.hidden[name] = true
		g.hold(name)
	}
	return g
}

func names(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, name := range list {
		set[name] = true
	}
	return set
}

func (g *guard) hold(name string) {
	fd, err := unix.Open(name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		unix.Close(fd)
		return
	}
	g.held = append(g.held, held{fd, Identity{st.Dev, st.Ino}, st.Mode&unix.S_IFMT == unix.S_IFDIR})
}

func (g *guard) close() {
	if g == nil {
		return
	}
	for _, h := range g.held {
		unix.Close(h.fd)
	}
	g.Spares.Close()
}

// An area says what decides about an entry: the broker or Landlock.
type area int

const (
	areaView    area = iota // the broker: it is in a shared directory
	areaGuarded             // the broker: Landlock grants nothing there
	areaRuled               // Landlock, which grants all that may be done there
)

// area returns what decides about the entries of the directory dir; ok is false outside of the
// trees in which something is guarded. The name is the kernel's.
func (g *guard) area(dir string) (a area, ok bool) {
	if g == nil {
		return 0, false
	}
	for below := dir; ; below, dir = dir, path.Dir(dir) {
		switch {
		case g.dirs[dir] && (below == dir || !g.ruled(below)):
			return areaGuarded, true
		case g.dirs[dir]:
			return areaRuled, true
		case dir == "/", dir == ".": // a pipe has no folder
			return 0, false
		}
	}
}

// ruled reports whether Landlock grants all rights on an entry of a guarded directory.
func (g *guard) ruled(name string) bool {
	var st unix.Statx_t
	return statx(unix.AT_FDCWD, name, &st) == nil && g.Ruled[identify(&st)]
}

// hides reports whether an object or an entry is hidden, by any name.
func (g *guard) hides(name string, st *unix.Statx_t) bool {
	for _, h := range g.held {
		if st != nil && h.id == identify(st) {
			return true
		}
		if h.folder {
			if now, err := nameOf(h.fd); err == nil && within(name, now) {
				return true
			}
		}
	}
	return isBelow(name, g.hidden)
}

// holds reports whether an object is one that is hidden in a tree, by whatever name.
func (g *guard) holds(st *unix.Statx_t) bool {
	return slices.ContainsFunc(g.held, func(h held) bool { return h.id == identify(st) })
}

// forbids returns why an object or an entry may not be changed; "" when it may. With moves it is to
// be moved, removed or replaced.
func (g *guard) forbids(name string, st *unix.Statx_t, moves bool) string {
	switch {
	case g.hides(name, st):
		return "it is hidden"
	case isBelow(name, g.kept):
		return "it is kept as it is"
	case moves && g.dirs[name]:
		return "it contains hidden or protected files"
	}
	return ""
}

// isBelow reports whether name is one of names or is below one.
func isBelow(name string, names map[string]bool) bool {
	for ; !names[name]; name = path.Dir(name) {
		if name == "/" || name == "." {
			return false
		}
	}
	return true
}
