//go:build linux || darwin

package undo

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// A target is an entry that is about to change.
type target struct {
	dir  int // a handle of its folder, as the caller has it
	in   *folder
	path string // of the folder
	name string
}

// goes notes what is at an entry. With gone, it is kept.
func (j *Journal) goes(t target, gone bool) error {
	known := j.index.entries[location{t.in, t.name}]
	now, at, err := stat(t.dir, t.name)
	if err != nil && err != unix.ENOENT {
		return &NotKeptError{join(t.path, t.name), err}
	}
	switch {
	case now.Absent():
		if known == nil {
			j.entry(t.in, t.name, nil)
		}
		return nil
	case j.isMade(known, now):
		return nil
	}
	i := j.index.inodes[now.ID]
	if i == nil {
		if now.Link() {
			if now.Target, err = readlink(t.dir, t.name); err != nil {
				return &NotKeptError{join(t.path, t.name), err}
			}
		}
		i = j.inode(t.in, t.name, now)
	}
	if known == nil {
		j.entry(t.in, t.name, i)
	}
	if gone && i.held.kind == 0 {
		return j.hold(t, i, now, at.disk)
	}
	return nil
}

// isMade reports whether an inode is one that the run made: its entry was empty before the run, or
// the run moved it here.
func (j *Journal) isMade(e *entry, now State) bool {
	if now.ID.Birth == 0 || now.ID.Birth < j.book.head.start || j.index.inodes[now.ID] != nil {
		return false
	}
	return e != nil && e.before == nil || j.index.made[now.ID]
}

func (j *Journal) entry(f *folder, name string, before *inode) {
	e := &entry{in: f, name: name, before: before}
	j.book.entries = append(j.book.entries, e)
	j.index.entries[location{f, name}] = e
	f.touched = true
	j.add(e.append)
}

func (j *Journal) inode(at *folder, name string, now State) *inode {
	if d := j.index.folders[now.ID]; d != nil && d.n != 0 {
		// its times are those before its entries changed
		now.Accessed, now.Modified = d.before.Accessed, d.before.Modified
	}
	if at != nil && j.isLate(now) {
		j.lack(Lack{join(at.path(), name), unnoted})
	}
	if at != nil && j.isUnnoted(at, name, now) {
		j.lack(Lack{join(at.path(), name), unnotedNew})
	}
	i := &inode{at: at, name: name, before: now, n: len(j.book.inodes) + 1}
	j.book.inodes = append(j.book.inodes, i)
	j.index.inodes[now.ID] = i
	j.add(i.append)
	return i
}

func (j *Journal) lack(l Lack) {
	j.book.lacks = append(j.book.lacks, l)
	j.add(l.append)
}

// isLate reports whether something that was there before the run has changed since the start, and
// is noted only now. An undo changes what it puts back.
func (j *Journal) isLate(now State) bool {
	start := j.book.head.start
	return len(j.book.head.of) == 0 && !now.Folder() && now.ID.Birth < start && now.Changed >= start
}

// isUnnoted reports whether something came to an entry after the start without a note, as a core
// file does: an undo takes it for what was there before. What is in a folder that came with it is
// gone with that.
func (j *Journal) isUnnoted(at *folder, name string, now State) bool {
	start := j.book.head.start
	return len(j.book.head.of) == 0 && !now.Folder() && now.ID.Birth >= start &&
		at.before.ID.Birth < start && j.index.entries[location{at, name}] == nil
}

// hold keeps an inode that goes: by a link, or by what is needed to make it again.
func (j *Journal) hold(t target, i *inode, now State, disk int64) error {
	full := join(t.path, t.name)
	if now.Folder() {
		return j.again(t, i, now, full)
	}
	if err := j.begin(); err != nil {
		return err
	}
	if p := j.placeOf(t.in, t.dir); p >= 0 {
		charge := int64(0)
		if now.Links == 1 {
			charge = disk
		}
		if err := j.budget.charge(charge); err != nil {
			return &NotKeptError{full, err}
		}
		o, err := j.link(p, t, now)
		if err == nil {
			i.held = o
			j.add(func(b []byte) []byte { return i.appendObject(b, o) })
			return j.copyShared(p, o, i, now, full)
		}
		j.budget.refund(charge)
		if err == ErrMoved {
			return &NotKeptError{full, err}
		}
	}
	return j.again(t, i, now, full)
}

// again keeps what is needed to make an inode again. That another user owns it cannot be.
func (j *Journal) again(t target, i *inode, now State, full string) error {
	if err := j.marks(t, i, full); err != nil {
		return err
	}
	if now.Regular() && i.copied.kind == 0 {
		fd, err := open(t.dir, t.name, theEntry, 0)
		if err != nil {
			return &NotKeptError{full, err}
		}
		defer unix.Close(fd)
		if err := j.copy(i, fd, full, now); err != nil {
			return err
		}
	}
	if !mayOwn(now) {
		return &NotKeptError{full, ErrOwner}
	}
	return nil
}

// mayOwn reports whether something new can get the owner and the group that something has.
func mayOwn(s State) bool {
	switch {
	case os.Geteuid() == 0:
		return true
	case int(s.UID) != os.Geteuid():
		return false
	case int(s.GID) == os.Getegid():
		return true
	}
	groups, err := os.Getgroups()
	return err == nil && slices.Contains(groups, int(s.GID))
}

// marks notes the attributes of what cannot be linked.
func (j *Journal) marks(t target, i *inode, full string) error {
	if i.marked {
		return nil
	}
	fd, err := open(t.dir, t.name, theEntry, 0)
	if err != nil {
		return &NotKeptError{full, err}
	}
	defer unix.Close(fd)
	return j.marksOf(i, fd, full)
}

// placeOf is the number of the place to which links of a folder's files lead, -1 without one.
func (j *Journal) placeOf(f *folder, dir int) int {
	mount := f.mount
	if _, err := j.handle(f); err != nil {
		_, at, err := stat(dir, "")
		if err != nil {
			return -1
		}
		mount = at.mount
	}
	for n, p := range j.places {
		if p.mount == mount && p.open(j.book.head.run) == nil {
			return n
		}
	}
	return -1
}

// link links a file into a place. What was linked is what was looked at, or ErrMoved is returned.
func (j *Journal) link(place int, t target, now State) (object, error) {
	j.n++
	o := object{objectLink, place, j.n}
	fd, err := j.handle(t.in)
	if err != nil {
		fd = t.dir
	}
	to, name := j.places[place].fd, o.file()
	if err := unix.Linkat(fd, t.name, to, name, 0); err != nil {
		return object{}, err
	}
	if s, err := look(to, name); err != nil || s.ID != now.ID {
		_ = unix.Unlinkat(to, name, 0)
		return object{}, ErrMoved
	}
	return o, nil
}
