//go:build amd64 || arm64

package sandbox

import (
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// A backing is what a writable tree is mounted over: the same files, read-only. What stays as it is
// in the tree is taken from there. To copy a mount the kernel looks at all that is mounted on it,
// so nothing of ours is ever mounted on a backing: a start takes as long for the thousandth kept
// file as for the first.
type backing struct {
	tree         string
	hidden, kept []string // below it, or it
	register     uint8    // where it is held open
}

// backings returns those of the outermost writable trees in which something is hidden or kept.
func (b *builder) backings() (list []backing) {
	at := map[string]int{}
	trees := b.writable()
	of := func(name string) *backing {
		for _, tree := range trees {
			if !within(name, tree) {
				continue
			}
			i, made := at[tree]
			if !made {
				i, at[tree] = len(list), len(list)
				list = append(list, backing{tree: tree})
			}
			return &list[i]
		}
		return nil
	}
	for _, name := range b.hidden {
		if g := of(name); g != nil {
			g.hidden = append(g.hidden, name)
		}
	}
	for _, name := range b.kept {
		if g := of(name); g != nil {
			g.kept = append(g.kept, name)
		}
	}
	return list
}

// mountOver mounts what is at name in the backing over what is seen under that name.
func (g backing) mountOver(a *arena, l *steps, what, name string) {
	const opened = registerCount - 1
	full := a.text(name)
	rest := full + uintptr(min(len(g.tree)+1, len(name)))
	l.add(what, unix.SYS_OPEN_TREE, 0, rest,
		unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_EMPTY_PATH).with(g.register, 0).kept(opened)
	l.add(what, unix.SYS_MOVE_MOUNT, 0, a.text(""), atCwd, full,
		unix.MOVE_MOUNT_F_EMPTY_PATH).with(opened, 0)
	l.add(what, unix.SYS_CLOSE, 0).with(opened, 0)
}

// pin opens the backing, and makes a mount point of every directory between the tree and what is
// hidden or kept in it: the kernel does not rename or remove a mount point, so the directory cannot
// be moved away and another put in its place. The pins lie on a second mount, between the backing
// and the tree's own, where no path leads through them: a rename from one side of a mount to the
// other would fail, and git makes many.
func (b *builder) pin(l *steps, g backing) {
	a := &b.setup.arena
	tree := a.text(g.tree)
	l.add("open "+g.tree, unix.SYS_OPENAT, atCwd, tree, unix.O_PATH|unix.O_CLOEXEC).kept(g.register)
	l.add("mount "+g.tree, unix.SYS_MOUNT, tree, tree, 0, unix.MS_BIND|unix.MS_REC)
	done := map[string]bool{}
	for _, list := range [][]string{g.hidden, g.kept} {
		for _, name := range list {
			if name == g.tree {
				continue
			}
			for dir := filepath.Dir(name); dir != g.tree && !done[dir]; dir = filepath.Dir(dir) {
				done[dir] = true
				g.mountOver(a, l, "pin "+dir, dir)
			}
		}
	}
}

// keepInPlace keeps what is kept where everything can be written: there is nothing to take it from
// but the tree itself.
func (b *builder) keepInPlace(l *steps) {
	a := &b.setup.arena
	for _, name := range b.kept {
		l.add("keep "+name, unix.SYS_MOUNT, a.text(name), a.text(name), 0, unix.MS_BIND|unix.MS_REC)
		b.readOnly(l, name)
	}
}

func (b *builder) readOnly(l *steps, name string) {
	a := &b.setup.arena
	l.add("make "+name+" read-only", unix.SYS_MOUNT_SETATTR, atCwd, a.text(name), unix.AT_RECURSIVE,
		hold(a, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}), unix.MOUNT_ATTR_SIZE_VER0)
}

// writable returns the names of the writable trees, outer before inner. A tree inside another one
// has no mount of its own: the kernel does not remove or rename a mount point, and a command may do
// that with names that it also writes.
func (b *builder) writable() []string {
	var names []string
	for _, p := range b.profile.Write {
		var st unix.Stat_t
		switch {
		case p.Optional && !exists(p.Name):
		case unix.Stat(p.Name, &st) == nil && isDevice(&st):
			// On a read-only mount it can be written, and gets no other mode.
		default:
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	var trees []string
	for _, name := range names {
		if !inside(trees, name) {
			trees = append(trees, name)
		}
	}
	return trees
}
