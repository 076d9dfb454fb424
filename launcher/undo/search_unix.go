//go:build linux || darwin

package undo

import "golang.org/x/sys/unix"

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
		if fd, err := openToList(t.fd, "."); err == nil {
			h.folder(fd, t.name, t.before.ID, t.mount)
			unix.Close(fd)
		}
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
	buf    [32 << 10]byte
}

const (
	maxMissed  = 100
	unnoted    = "it changed, and the journal was not told"
	unnotedNew = "it is new, and the journal was not told"
)

// folder looks at what is in a folder, by a handle to read it.
func (h *hunt) folder(d int, path string, id ID, mount uint64) {
	var below []string
	noted := h.j.index.folders[id]
	for name, kind := range entriesOf(d, h.buf[:]) {
		if h.left--; h.left <= 0 || len(h.missed) >= maxMissed {
			return
		}
		switch kind {
		case unix.DT_DIR, unix.DT_UNKNOWN:
			below = append(below, name)
			continue
		}
		if noted == nil || h.j.index.entries[location{noted, name}] == nil {
			h.entry(d, path, name, id)
		}
	}
	for _, name := range below {
		h.below(d, path, name, id, mount)
	}
}

// entry looks at one that is no folder, or one that cannot be opened.
func (h *hunt) entry(d int, path, name string, in ID) {
	if s, err := look(d, name); err == nil && !s.Absent() {
		h.compare(s, path, name, in)
	}
}

// compare notes an entry that changed while the journal was not told.
func (h *hunt) compare(s State, path, name string, in ID) {
	if s.Changed < h.since || s.ID == h.own || h.known(s, in, name) {
		return
	}
	why := unnoted
	if s.ID.Birth >= h.since {
		why = unnotedNew
	}
	h.missed = append(h.missed, Lack{join(path, name), why})
}

// below looks at an entry that may be a folder, and at what is in it if it is on the same mount:
// others are other trees.
func (h *hunt) below(d int, path, name string, in ID, mount uint64) {
	if h.left <= 0 || len(h.missed) >= maxMissed {
		return
	}
	fd, err := openToList(d, name)
	if err == unix.EACCES {
		var shut func()
		if fd, shut, err = h.openUp(d, name); err == nil {
			defer shut()
		}
	}
	if err != nil {
		h.entry(d, path, name, in)
		return
	}
	defer unix.Close(fd)
	s, at, err := stat(fd, "")
	if err != nil {
		return
	}
	h.compare(s, path, name, in)
	if at.mount == mount && s.ID != h.own {
		h.folder(fd, join(path, name), s.ID, mount)
	}
}

// openUp is openToList for a folder that the run may have closed. Shut closes it again.
func (h *hunt) openUp(d int, name string) (fd int, shut func(), err error) {
	at, err := openFolder(d, name)
	if err != nil {
		return -1, nil, err
	}
	s, _, err := stat(at, "")
	if err == nil && h.j.index.inodes[s.ID] == nil {
		err = unix.EACCES
	}
	if err != nil {
		unix.Close(at)
		return -1, nil, err
	}
	mode, added := addRights(at, 0o500)
	fd, err = openToList(at, ".")
	shut = func() {
		if added {
			_ = chmod(at, mode)
		}
		unix.Close(at)
	}
	if err != nil {
		shut()
	}
	return fd, shut, err
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
