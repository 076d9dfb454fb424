//go:build linux || darwin

package undo

// placeOf is where an inode is now, the zero location if it is nowhere.
func (r *restorer) placeOf(i *inode) location {
	for _, at := range i.places() {
		if at.in != nil && r.isAt(i, at) {
			return at
		}
	}
	for _, e := range r.byID()[i.before.ID] {
		if r.isAt(i, location{e.in, e.name}) {
			return location{e.in, e.name}
		}
	}
	return location{}
}

func (r *restorer) isAt(i *inode, at location) bool {
	fd, err := r.scene.open(at.in)
	if err != nil {
		return false
	}
	s, err := look(fd, at.name)
	return err == nil && !s.Absent() && r.scene.now.same(s.ID, i.before.ID)
}

// byID are the entries where an inode was, before the run or after it.
func (r *restorer) byID() map[ID][]*entry {
	if r.entries == nil {
		r.entries = map[ID][]*entry{}
		for _, e := range r.run.book.entries {
			if e.before != nil {
				id := e.before.before.ID
				r.entries[id] = append(r.entries[id], e)
			}
			if !e.left.Absent() {
				r.entries[e.left.ID] = append(r.entries[e.left.ID], e)
			}
		}
	}
	return r.entries
}

// aliases notes the other names of an inode that the undo changes or takes away.
func (r *restorer) aliases(id ID) {
	var all []location
	if i := r.inodes()[id]; i != nil {
		all = i.places()
	}
	for _, e := range r.byID()[id] {
		all = append(all, location{e.in, e.name})
	}
	for _, at := range all {
		if at.in == nil {
			continue
		}
		fd, err := r.scene.open(at.in)
		if err != nil {
			continue
		}
		if s, err := look(fd, at.name); err == nil && s.ID == id && !s.Absent() {
			_ = r.u.aliasOf(id, join(pathOf(fd), at.name))
		}
	}
}

func (r *restorer) inodes() map[ID]*inode {
	if r.noted == nil {
		r.noted = map[ID]*inode{}
		for _, i := range r.run.book.inodes {
			r.noted[i.before.ID] = i
		}
	}
	return r.noted
}

// links notes the other names of what the undo took away, when all folders have their place.
func (r *restorer) links() {
	for _, i := range r.u.book.inodes {
		if i.before.Links > 1 && !i.before.Folder() {
			r.aliases(i.before.ID)
			r.scene.trim()
		}
	}
}
