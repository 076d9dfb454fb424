//go:build linux || darwin

package undo

import (
	"os"
	"slices"
)

// isLeft reports whether an entry is as the run left it.
func (r *restorer) isLeft(e *entry, now State) bool {
	now = r.ajar.really(now)
	if r.run.last != 0 {
		return now.Absent() || r.inTime(now) || r.knows(now)
	}
	if now.Absent() && r.halfway(e) {
		return true
	}
	if now.Folder() && e.left.Folder() && r.scene.now.same(now.ID, e.left.ID) {
		return true
	}
	fd, err := r.scene.open(e.in)
	return sameLeft(source{fd, e.name}, now, e.left) && (err == nil || now.Absent())
}

// sameLeft reports whether what is somewhere is as a run left it.
func sameLeft(at source, now, left State) bool {
	if now.Absent() || left.Absent() || now.ID != left.ID {
		return now.Absent() && left.Absent()
	}
	if now.Folder() || now.Changed == left.Changed {
		return true
	}
	if !sameMarks(now, left) || now.Size != left.Size {
		return false
	}
	return left.Sum == "" || sum(at.dir, at.name, now.Size) == left.Sum
}

// begunWith returns whether an undo had begun with an entry, and whether a crash ended it.
func (r *restorer) begunWith(e *entry) (crash, ok bool) {
	if crash, ok = r.past.begun()[begun{e.in.before.ID, e.name}]; crash {
		return crash, ok
	}
	fd, err := r.scene.open(e.in) // it may be a folder that the undo made anew
	if err != nil {
		return crash, ok
	}
	if s, _, err := stat(fd, ""); err == nil {
		c, also := r.past.begun()[begun{s.ID, e.name}]
		crash, ok = crash || c, ok || also
	}
	return crash, ok
}

func (r *restorer) halfway(e *entry) bool {
	crash, _ := r.begunWith(e)
	return crash
}

// halfwayIn reports whether an undo that a crash ended had begun with a folder.
func (r *restorer) halfwayIn(folder ID) bool { return r.past.begun()[begun{folder, ""}] }

// settle takes what is there now as what a run left that a crash ended.
func (r *restorer) settle() {
	for again := true; again; { // what is in a folder is found when the folder is
		again = false
		for _, e := range r.run.book.entries {
			if e.closed {
				continue
			}
			fd, err := r.scene.open(e.in)
			if err != nil {
				continue
			}
			e.closed, again = true, true
			if _, ok := r.begunWith(e); ok {
				continue // it may be what an undo put there
			}
			if e.left, err = look(fd, e.name); err == nil {
				r.scene.left(e)
			}
			r.scene.trim()
		}
	}
}

// isBefore reports whether an entry is as the run found it, but for content and metadata.
func (r *restorer) isBefore(e *entry, now State) bool {
	if e.before == nil || now.Absent() {
		return e.before == nil && now.Absent()
	}
	was := e.was()
	switch {
	case r.scene.now.same(now.ID, was.ID):
		return true
	case now.Mode&typeMask != was.Mode&typeMask:
		return false
	case now.Folder():
		return !r.scene.isOther(now.ID, was.ID) && !r.scene.exists(was.ID)
	case e.before.held.kind != 0 || r.kept(was.ID):
		return false
	}
	fd, err := r.scene.open(e.in)
	if err != nil {
		return false
	}
	switch {
	case was.Regular():
		return sameMarks(now, was) && e.before.copied.kind != 0 &&
			r.sameContent(fd, e.name, e.before)
	case was.Link():
		target, err := readlink(fd, e.name)
		return err == nil && target == was.Target
	}
	return now.Device == was.Device
}

// kept reports whether the run left an inode in the tree, under any name.
func (r *restorer) kept(id ID) bool {
	return slices.ContainsFunc(r.byID()[id], func(e *entry) bool { return e.left.ID == id })
}

// sameContent compares a file with the copy of what it was.
func (r *restorer) sameContent(fd int, name string, i *inode) bool {
	now, err := openRegular(fd, name)
	if err != nil {
		return false
	}
	defer now.Close()
	return r.isCopied(i, now)
}

// isCopied reports whether a file has the content that was kept of an inode.
func (r *restorer) isCopied(i *inode, now *os.File) bool {
	was, err := r.objects.openCopy(r.run, i)
	if err != nil {
		return false
	}
	defer was.Close()
	n, size, err := common(now, was)
	return err == nil && n == size && n == i.before.Size
}
