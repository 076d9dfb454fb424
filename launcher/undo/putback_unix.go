//go:build linux || darwin

package undo

import (
	"errors"

	"golang.org/x/sys/unix"
)

// putBack makes the entries as they were, a folder before what is in it.
func (r *restorer) putBack() {
	for again := true; again; {
		again = false
		for _, j := range r.jobs {
			if !j.done && j.was().Folder() {
				r.putBackOne(j)
				again = again || j.done
			}
			r.scene.trim()
		}
	}
	for _, j := range r.jobs {
		r.putBackOne(j)
		r.scene.trim()
	}
	for _, j := range r.jobs {
		if !j.done {
			j.refuse(ErrMoved.Error())
		}
	}
}

func (r *restorer) putBackOne(j *job) {
	if j.done {
		return
	}
	if j.done = true; j.refused() || j.before == nil {
		return
	}
	switch err := r.link(j); err {
	case nil:
	case errNotYet, ErrMoved:
		j.done = false
	default:
		j.refuse(err.Error())
	}
}

// errNotYet means that a folder is in the store, and will be put back.
var errNotYet = errors.New("its folder is in the store")

// folder opens the folder of an entry, and puts it back first if it is gone.
func (r *restorer) folder(f *folder) (int, error) {
	fd, err := r.scene.open(f)
	if err == nil {
		if r.u.tree(pathOf(fd)) == nil {
			return -1, errNotYet
		}
		return fd, nil
	}
	for _, j := range r.jobs {
		if j.before != nil && j.before.before.ID == f.before.ID && !j.done {
			r.putBackOne(j)
			return r.scene.open(f)
		}
	}
	if f.at != nil {
		if _, err := r.folder(f.at); err == nil {
			return r.scene.open(f)
		}
	}
	return -1, err
}

func (r *restorer) link(j *job) error {
	fd, err := r.folder(j.in)
	if err != nil {
		return err
	}
	now, err := look(fd, j.name)
	if err != nil {
		return err
	}
	if r.isBefore(j.entry, now) {
		return nil
	}
	if !now.Absent() {
		return errLater
	}
	in := pathOf(fd)
	if j.path = join(in, j.name); r.u.Make(fd, in, j.name) != nil {
		return r.u.err
	}
	was := j.was()
	src, ok := r.source(was.ID)
	if !ok && was.Folder() {
		src, ok = r.renewedSource(was.ID)
	}
	if !ok && !was.Folder() {
		src, ok = r.alive(j.before)
	}
	switch {
	case ok && r.changedElsewhere(j.before, src):
		return r.again(j, fd)
	case ok && was.Folder():
		err = moveFolder(src.dir, src.name, fd, j.name)
	case ok:
		err = unix.Linkat(src.dir, src.name, fd, j.name, 0)
	default:
		return r.again(j, fd)
	}
	if r.placed[was.ID] = err == nil; err == nil && was.Links > 1 && !was.Folder() {
		r.aliases(was.ID)
	}
	return err
}

// changedElsewhere reports whether what is held of a file was changed since, by another name or by
// who has it open: then the file comes back as its copy, and the other name keeps what it has.
func (r *restorer) changedElsewhere(i *inode, src source) bool {
	if i.copied.kind == 0 || i.left == nil || i.held.kind == 0 {
		return false
	}
	now, err := look(src.dir, src.name)
	if err != nil || sameLeft(src, now, *i.left) {
		return false
	}
	f, err := openRegular(src.dir, src.name)
	if err != nil {
		return true
	}
	defer f.Close()
	return !r.isCopied(i, f)
}

// source finds an inode in the store: what this undo took away is there too.
func (r *restorer) source(id ID) (source, bool) {
	if i := r.u.index.inodes[id]; i != nil && i.held.kind != 0 {
		dir := r.u.places[i.held.place].fd
		if s, err := look(dir, i.held.file()); err == nil && s.ID == id {
			return source{dir, i.held.file()}, true
		}
	}
	return r.objects.find(id)
}

// renewedSource finds in the store what an undo made in the place of a folder.
func (r *restorer) renewedSource(id ID) (src source, ok bool) {
	for range len(r.scene.now) {
		if id, ok = r.scene.now[id]; !ok {
			return src, false
		}
		if src, ok = r.source(id); ok {
			return src, true
		}
	}
	return src, false
}

// alive finds another name of an inode in the tree.
func (r *restorer) alive(i *inode) (source, bool) {
	at := r.placeOf(i)
	if at.in != nil {
		fd, err := r.scene.open(at.in)
		return source{fd, at.name}, err == nil
	}
	return source{}, false
}

// again makes anew what no link holds.
func (r *restorer) again(j *job, fd int) error {
	i, was := j.before, j.was()
	var err error
	switch was.Mode & typeMask {
	case typeFolder:
		err = unix.Mkdirat(fd, j.name, 0o700)
	case typeLink:
		err = unix.Symlinkat(was.Target, fd, j.name)
	case typeRegular:
		err = r.copyBack(i, fd, j.name)
	default:
		err = makeNode(fd, j.name, was.Mode&typeMask|0o600, int(was.Device))
	}
	if err != nil {
		return err
	}
	if err := r.renewed(was.ID, fd, j.name); err != nil || was.Folder() || was.Regular() {
		return err // a folder gets its times last
	}
	return r.marksAt(fd, j.name, i)
}

// renewed notes that something was made in the place of what was there.
func (r *restorer) renewed(old ID, fd int, name string) error {
	now, err := look(fd, name)
	if err != nil {
		return err
	}
	r.scene.now[old], r.scene.from[now.ID] = now.ID, old
	return r.u.renew(old, now.ID)
}

// drop removes from the store what is in its place again, so that it has as many names as it had.
func (r *restorer) drop() {
	for _, e := range r.run.book.entries { // also what an undo that a crash ended has put back
		if now, err := r.scene.state(e); err == nil && !now.Absent() && now.ID == e.was().ID {
			r.placed[now.ID] = true
		}
		r.scene.trim()
	}
	for _, k := range append([]*Run{r.run}, r.past.runs...) {
		if k.last != 0 {
			r.objects.dropUnnoted(k)
			r.aliveAgain(k)
		}
	}
	for id, ok := range r.placed {
		for ok {
			src, found := r.source(id)
			if ok = found; found && unix.Unlinkat(src.dir, src.name, 0) != nil {
				break
			}
		}
		if i := r.u.index.inodes[id]; i != nil {
			i.held = object{} // the undo of an earlier run may take it away again
		}
	}
}

// aliveAgain marks as placed what a crash has left in the store although it has a name in the tree.
func (r *restorer) aliveAgain(k *Run) {
	held := map[ID]bool{}
	for _, i := range k.book.inodes {
		held[i.before.ID] = i.held.kind == objectLink
	}
	for _, i := range r.run.book.inodes {
		if id := i.before.ID; held[id] && r.placeOf(i).in != nil && !r.scene.renewed(id) {
			r.placed[id] = true
		}
		r.scene.trim()
	}
}
