package undo

import (
	"os"

	"golang.org/x/sys/unix"
)

// Follows says which journal, of the same trees and the same program, goes on until this one
// begins. If that is closed without a walk, the walk of this one looks for its changes too.
func (j *Journal) Follows(before *Journal) { j.index.after = before }

// search looks for what changed in the trees since the start without a note, at no more than that
// many entries. It reports whether it saw all.
func (j *Journal) search(limit int) (missed []Lack, whole bool) {
	if limit == 0 {
		return nil, false
	}
	h := &hunt{j: j, since: j.book.head.start, left: limit, own: j.store.own()}
	for a := j.index.after; a != nil && !a.index.walked; a = a.index.after {
		h.since = a.book.head.start
	}
	for _, t := range j.index.trees {
		h.folder(t.fd, t.name, t.before.ID)
	}
	j.index.after, j.index.walked = nil, true
	return h.missed, h.left > 0
}

// own identifies the folder that is tada-run's own; the zero value if there is none.
func (s *Store) own() ID {
	if s.o.Own == "" {
		return ID{}
	}
	at, err := look(unix.AT_FDCWD, s.o.Own)
	if err != nil || at.Absent() {
		return ID{}
	}
	return at.ID
}

type hunt struct {
	j      *Journal
	since  int64 // the start of the oldest journal that was not searched for
	left   int
	missed []Lack
	own    ID // of the folder that is tada-run's own; the zero value for none
}

const (
	maxMissed  = 100
	unnoted    = "it changed, and the journal was not told"
	unnotedNew = "it is new, and the journal was not told"
)

func (h *hunt) folder(fd int, path string, id ID) {
	d, err := open(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOATIME, 0)
	if err != nil {
		if d, err = open(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0); err != nil {
			return
		}
	}
	dir := os.NewFile(uintptr(d), path)
	defer dir.Close()
	for h.left > 0 && len(h.missed) < maxMissed {
		names, _ := dir.Readdirnames(1000)
		if len(names) == 0 {
			return
		}
		for _, name := range names {
			if h.left--; h.left <= 0 || len(h.missed) >= maxMissed {
				return
			}
			h.entry(d, path, name, id)
		}
	}
}

func (h *hunt) entry(d int, path, name string, in ID) {
	s, err := look(d, name)
	if err != nil || s.Absent() || h.own != (ID{}) && s.ID == h.own {
		return
	}
	if s.Changed >= h.since && !h.known(s, in, name) {
		why := unnoted
		if s.ID.Birth >= h.since {
			why = unnotedNew
		}
		h.missed = append(h.missed, Lack{join(path, name), why})
	}
	if !s.Folder() {
		return
	}
	fd, err := openFolder(d, name)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if h.j.index.inodes[s.ID] != nil { // the run may have closed it
		if mode, added := addRights(fd, 0o500); added {
			defer func() { _ = chmod(fd, mode) }()
		}
	}
	if s, at, err := stat(fd, ""); err == nil && h.same(d, at.mount) {
		h.folder(fd, join(path, name), s.ID)
	}
}

// stays reports whether something is still what a journal noted when it was closed. A file that was
// open then may have been written to since.
func (left *State) stays(now State) bool {
	return now.ID == left.ID && (now.Folder() ||
		now.Size == left.Size && now.Modified == left.Modified)
}

// known reports whether a journal was told of a change of an entry or of its inode.
func (h *hunt) known(s State, in ID, name string) bool {
	for j := h.j; j != nil; j = j.index.after {
		x := &j.index
		if i := x.inodes[s.ID]; i != nil && (j == h.j || i.left == nil || i.left.stays(s)) ||
			x.made[s.ID] {
			return true
		}
		if d := x.folders[s.ID]; d != nil && d.touched {
			return true
		}
		if f := x.folders[in]; f != nil {
			e := x.entries[location{f, name}]
			if e != nil && (j == h.j || e.left.stays(s)) {
				return true
			}
		}
	}
	return false
}

// same reports whether a folder is on that mount; others are other trees.
func (h *hunt) same(d int, mount uint64) bool {
	_, at, err := stat(d, "")
	return err == nil && at.mount == mount
}
