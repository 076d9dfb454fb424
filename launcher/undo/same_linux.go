package undo

import "slices"

// grace is how long after its last note a run that a crash ended may have changed something.
const grace = 2e9

// isLeft reports whether an entry is as the run left it.
func (r *restorer) isLeft(e *entry, now State) bool {
	if r.run.last != 0 {
		return now.Absent() || now.Changed <= r.run.last+grace
	}
	if now.Absent() && r.halfway(e) {
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
	return left.Sum == "" || sum(at.dir, at.name) == left.Sum
}

// halfway reports whether an undo of this run that a crash ended had begun with the entry.
func (r *restorer) halfway(e *entry) bool {
	for _, k := range r.kin {
		if k.last == 0 {
			continue
		}
		for _, o := range k.book.entries {
			if o.name == e.name && o.in.before.ID == e.in.before.ID {
				return true
			}
		}
	}
	return false
}

// isBefore reports whether an entry is as the run found it, but for content and metadata.
func (r *restorer) isBefore(e *entry, now State) bool {
	if e.before == nil || now.Absent() {
		return e.before == nil && now.Absent()
	}
	was := e.was()
	switch {
	case now.ID == was.ID:
		return true
	case now.Mode&typeMask != was.Mode&typeMask:
		return false
	case now.Folder():
		return !r.scene.known[now.ID] && !r.scene.exists(was.ID)
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
	was, err := r.objects.openCopy(r.run, i)
	if err != nil {
		return false
	}
	defer was.Close()
	n, m, err := common(now, was)
	return err == nil && n == m && n == i.before.Size
}
