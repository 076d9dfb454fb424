//go:build amd64 || arm64

package broker

import (
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// trees are where the run may write.
type trees struct {
	roots    []*root
	names    []string // the same as they were at the start
	readOnly []string
	hidden   []string
	secret   []string // hidden, wherever it is
}

func openTrees(p *Profile) *trees {
	t := &trees{readOnly: p.ReadOnly, secret: p.Hide}
	if p.Guard != nil {
		t.hidden = p.Guard.Hide
	}
	for _, w := range p.Write {
		t.names = append(t.names, w.Name)
		if w.File == nil {
			t.open(w.Name, w.Name)
			continue
		}
		_ = Control(w.File, func(fd int) error { t.open(selfFile(fd), w.Name); return nil })
	}
	return t
}

func (t *trees) open(path, name string) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	var st unix.Statx_t
	if statxKnown(fd, &st) != nil {
		unix.Close(fd)
		return
	}
	t.roots = append(t.roots, &root{File: os.NewFile(uintptr(fd), name), id: identify(&st)})
}

// writable reports whether name, as the kernel has it for an open object, is in a writable tree and
// neither read-only nor hidden.
func (t *trees) writable(name string) bool {
	if t.guards(name) {
		return false
	}
	return slices.ContainsFunc(t.roots, func(r *root) bool { // most are where they were
		return within(name, r.Name()) && r.stands()
	}) || slices.ContainsFunc(t.roots, func(r *root) bool {
		now := r.now()
		return now != "" && within(name, now)
	})
}

// makes reports whether the run may make a file of that name: in a tree or in a directory that all
// programs share.
func (t *trees) makes(name string) bool {
	return t.writable(name) || slices.ContainsFunc(shared,
		func(dir string) bool { return within(name, dir) })
}

// shared are the directories that all programs share, by whatever rules.
var shared = []string{"/tmp", "/var/tmp", "/dev/shm"}

// guards reports whether name is read-only or hidden in a tree.
func (t *trees) guards(name string) bool {
	for _, list := range [][]string{t.readOnly, t.hidden} {
		for _, guarded := range list {
			if within(name, guarded) {
				return true
			}
		}
	}
	return false
}

// spares reports whether name is in a tree, and neither read-only nor hidden there. A tree may be
// below something that is hidden.
func (t *trees) spares(name string) bool {
	return !t.guards(name) && !slices.ContainsFunc(t.secret, func(hidden string) bool {
		return within(name, hidden) && !slices.ContainsFunc(t.names, func(root string) bool {
			return within(root, hidden) && within(name, root)
		})
	})
}

// hides reports whether name is hidden from the run.
func (t *trees) hides(name string) bool {
	return withinAny(name, t.secret)
}

// holds reports whether name was in a writable tree at the start.
func (t *trees) holds(name string) bool {
	return withinAny(name, t.names)
}

func (t *trees) close() {
	for _, r := range t.roots {
		r.Close()
	}
}

// within reports whether name is root or below it. Both are clean and absolute.
func within(name, root string) bool {
	return name == root || root == "/" || strings.HasPrefix(name, root) && name[len(root)] == '/'
}

func withinAny(name string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return within(name, root) })
}
