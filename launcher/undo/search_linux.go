package undo

import (
	"os"

	"golang.org/x/sys/unix"
)

// search looks for what changed in the trees since the start without a note, at no more than that
// many entries. It reports whether it saw all.
func (j *Journal) search(limit int) (missed []Lack, whole bool) {
	if limit == 0 {
		return nil, false
	}
	h := &hunt{j: j, left: limit, own: j.store.own()}
	for _, t := range j.index.trees {
		h.folder(t.fd, t.name, t)
	}
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
	left   int
	missed []Lack
	own    ID // of the folder that is tada-run's own; the zero value for none
}

const (
	maxMissed  = 100
	unnoted    = "it changed, and the journal was not told"
	unnotedNew = "it is new, and the journal was not told"
)

func (h *hunt) folder(fd int, path string, f *folder) {
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
			h.entry(d, path, name, f)
		}
	}
}

func (h *hunt) entry(d int, path, name string, f *folder) {
	s, err := look(d, name)
	if err != nil || s.Absent() || h.own != (ID{}) && s.ID == h.own {
		return
	}
	if s.Changed >= h.j.book.head.start && !h.known(s, f, name) {
		why := unnoted
		if s.ID.Birth >= h.j.book.head.start {
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
		h.folder(fd, join(path, name), h.j.index.folders[s.ID])
	}
}

// known reports whether the journal was told of a change of an entry or of its inode.
func (h *hunt) known(s State, f *folder, name string) bool {
	if h.j.index.inodes[s.ID] != nil || h.j.index.made[s.ID] {
		return true
	}
	if d := h.j.index.folders[s.ID]; d != nil && d.touched {
		return true
	}
	return f != nil && h.j.index.entries[location{f, name}] != nil
}

// same reports whether a folder is on that mount; others are other trees.
func (h *hunt) same(d int, mount uint64) bool {
	_, at, err := stat(d, "")
	return err == nil && at.mount == mount
}
