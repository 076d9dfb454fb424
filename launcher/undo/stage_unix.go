//go:build linux || darwin

package undo

import "golang.org/x/sys/unix"

// stage takes away what must go. It is kept first, as the pre-image of a redo.
func (r *restorer) stage() {
	for _, j := range r.jobs {
		if j.do != Remove && j.do != Replace {
			continue
		}
		if err := r.takeAway(j); err != nil {
			j.refuse(err.Error())
		}
		r.scene.trim()
	}
}

func (r *restorer) takeAway(j *job) error {
	fd, err := r.scene.open(j.in)
	if err != nil {
		return err
	}
	now, err := look(fd, j.name)
	if err != nil || now.Absent() {
		return err
	}
	if !r.isLeft(j.entry, now) {
		return errLater
	}
	if now.Folder() && len(r.scene.wasAt(now.ID)) > 0 {
		return r.moveBack(j, fd, now)
	}
	in := pathOf(fd)
	if err := r.u.Remove(fd, in, j.name); err != nil {
		return err
	}
	flags := 0
	if now.Folder() {
		flags = unix.AT_REMOVEDIR
	}
	err = unix.Unlinkat(fd, j.name, flags)
	if err == unix.ENOTEMPTY || err == unix.EEXIST {
		return errNotEmpty
	}
	return err
}

// moveBack moves a folder that was there before the run to its place or, if that is not free yet,
// into the store.
func (r *restorer) moveBack(j *job, fd int, now State) error {
	in := pathOf(fd)
	for _, was := range r.scene.wasAt(now.ID) {
		to, err := r.scene.open(was.in)
		if err != nil || r.u.tree(pathOf(to)) == nil { // that folder is in the store now
			continue
		}
		if s, err := look(to, was.name); err != nil || !s.Absent() {
			continue
		}
		if err := r.u.Move(fd, in, j.name, to, pathOf(to), was.name, false); err != nil {
			return err
		}
		if moveFolder(fd, j.name, to, was.name) == nil {
			r.placed[now.ID] = true
			return nil
		}
	}
	return r.u.stage(fd, in, j.name)
}

// renew notes that an undo made something in the place of what was there.
func (j *Journal) renew(old, id ID) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.book.renewed = append(j.book.renewed, [2]ID{old, id})
	j.add(func(b []byte) []byte { return appendRenewed(b, old, id) })
	return j.done(nil)
}

// stage moves a folder with all that it has into the store.
func (j *Journal) stage(dir int, in, name string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	f, err := j.folder(dir, in)
	if err != nil || f == nil {
		return j.done(err)
	}
	t := target{dir, f, in, name}
	now, err := look(dir, name)
	if err == nil {
		err = j.goes(t, false)
	}
	if err != nil {
		return j.done(err)
	}
	p, i := j.placeOf(f, dir), j.index.inodes[now.ID]
	if p < 0 {
		return j.done(&NotKeptError{join(in, name), unix.EXDEV})
	}
	if i == nil { // this undo made it, for a newer run
		i = j.inode(nil, "", now)
	}
	j.n++
	i.held = object{objectStage, p, j.n}
	j.add(func(b []byte) []byte { return i.appendObject(b, i.held) })
	if err := j.done(nil); err != nil {
		return err
	}
	return moveFolder(dir, name, j.places[p].fd, i.held.file())
}

// stored notes that an inode changes which is only in the store, under no name in the trees.
func (j *Journal) stored(handle int, content bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	now, _, err := stat(handle, "")
	if err != nil {
		return err
	}
	i := j.index.inodes[now.ID]
	if i == nil {
		i = j.inode(nil, "", now)
	}
	if !i.marked {
		if i.attributes, err = attributes(handle); err != nil {
			return j.done(err)
		}
		i.marked = true
		j.add(i.appendAttributes)
	}
	if content && i.copied.kind == 0 {
		err = j.copy(i, handle, "a file in the store", now)
	}
	return j.done(err)
}
