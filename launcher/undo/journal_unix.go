//go:build linux || darwin

package undo

import (
	"path"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Make notes that an entry comes: a file, folder, symbolic link, hard link or device. dir is a
// handle of the folder, in its name as the kernel has it.
func (j *Journal) Make(dir int, in, name string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	f, err := j.folder(dir, in)
	if err != nil || f == nil {
		return j.done(err)
	}
	now, err := j.present(dir, f, name)
	if err != nil {
		return j.done(&NotKeptError{join(in, name), err})
	}
	if !now { // what is there is not made again
		j.comes(f, name)
	}
	return j.done(nil)
}

// MakeNext is Make where the folder is noted already. It needs rights to that folder alone, and
// reports false where it has noted nothing.
func (j *Journal) MakeNext(dir int, name string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	state, _, err := stat(dir, "")
	f := j.index.folders[state.ID]
	if err != nil || f == nil || f.n == 0 || j.out == nil {
		return false
	}
	now, err := j.present(dir, f, name)
	if err != nil {
		return false
	}
	if !now {
		j.comes(f, name)
	}
	return j.done(nil) == nil
}

// comes notes an entry that will be made, when files get a later time than the start of the run:
// what was born before it is another program's. They get the time of the last tick of the clock,
// and a run may be quick enough to be in the same tick still.
func (j *Journal) comes(f *folder, name string) {
	for range tick / pause {
		if fileTime() > j.book.head.start {
			break
		}
		time.Sleep(pause)
	}
	j.entry(f, name, nil)
}

// present reports whether something is at an entry, or is known to have been.
func (j *Journal) present(dir int, f *folder, name string) (bool, error) {
	if j.index.entries[location{f, name}] != nil {
		return true, nil
	}
	now, err := look(dir, name)
	return !now.Absent(), err
}

// Remove notes that an entry goes, and keeps what it is.
func (j *Journal) Remove(dir int, in, name string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.done(j.remove(dir, in, name))
}

func (j *Journal) remove(dir int, in, name string) error {
	f, err := j.folder(dir, in)
	if err != nil || f == nil {
		return err
	}
	return j.goes(target{dir, f, in, name}, true)
}

// Move notes that an entry gets another name, in the place of what has it. With exchange, both
// entries change places.
func (j *Journal) Move(dir int, in, name string, to int, toIn, toName string, exchange bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.done(j.move(dir, in, name, to, toIn, toName, exchange))
}

func (j *Journal) move(dir int, in, name string, to int, toIn, toName string, exchange bool) error {
	from, err := j.folder(dir, in)
	if err != nil {
		return err
	}
	dest, err := j.folder(to, toIn)
	if err != nil {
		return err
	}
	if from != nil {
		// what leaves the trees is kept, as if it was removed
		if err := j.goes(target{dir, from, in, name}, dest == nil); err != nil {
			return err
		}
	}
	if dest == nil {
		return nil
	}
	if err := j.goes(target{to, dest, toIn, toName}, !exchange || from == nil); err != nil {
		return err
	}
	if from != nil {
		j.follow(dir, name, dest, toName)
		if exchange {
			j.follow(to, toName, from, name)
		}
	}
	return nil
}

// follow remembers where a known folder, or a file that the run made, is moved to.
func (j *Journal) follow(dir int, name string, dest *folder, toName string) {
	now, err := look(dir, name)
	if err != nil || now.Absent() {
		return
	}
	if f := j.index.folders[now.ID]; f != nil {
		f.also = append(f.also, location{dest, toName})
	}
	if j.index.inodes[now.ID] == nil && now.ID.Birth >= j.book.head.start {
		j.index.made[now.ID] = true
	}
}

// Write notes that the content of a file changes in place, and keeps it. handle is of the file,
// full its name as the kernel has it.
func (j *Journal) Write(handle int, full string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.done(j.change(handle, full, true))
}

// Mark notes that mode, owner, times or attributes of an inode change, and keeps them.
func (j *Journal) Mark(handle int, full string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.done(j.change(handle, full, false))
}

// IsNew reports whether what was made at this time was made after the start. A time that is still
// to come is from before the clock was set back.
func (j *Journal) IsNew(birth int64) bool {
	return birth > j.book.head.start && birth <= time.Now().UnixNano()
}

func (j *Journal) change(handle int, full string, content bool) error {
	now, _, err := stat(handle, "")
	if err != nil {
		return &NotKeptError{full, err}
	}
	i := j.index.inodes[now.ID]
	if i == nil && j.index.made[now.ID] ||
		i != nil && i.marked && (!content || i.copied.kind != 0) {
		return nil
	}
	at, name := j.parent(path.Clean(full), now.ID)
	if at == nil { // it was moved between the look of the caller and this one
		at, name = j.parent(pathOf(handle), now.ID)
	}
	switch {
	case i == nil && at == nil && j.tree(full) == nil:
		return j.elsewhere(full)
	case content && !now.Regular(), i == nil && now.Links == 0:
		return nil // a pipe or a device has no content; what has no name is gone after the run
	case i == nil && j.isMade(j.index.entries[location{at, name}], now):
		j.index.made[now.ID] = true
		return nil
	case i == nil && at == nil:
		return &NotKeptError{full, ErrMoved}
	}
	list, err := attributes(handle)
	if err != nil {
		return &NotKeptError{full, err}
	}
	if i == nil {
		if now.Link() {
			if now.Target, err = readlink(handle, ""); err != nil {
				return &NotKeptError{full, err}
			}
		}
		i = j.inode(at, name, now)
	} else {
		j.alias(i, location{at, name})
	}
	if !i.marked {
		i.attributes, i.marked = list, true
		j.add(i.appendAttributes)
	}
	if content && i.copied.kind == 0 {
		return j.copy(i, handle, full, now)
	}
	return nil
}

// alias notes one more name of an inode.
func (j *Journal) alias(i *inode, at location) {
	if at.in != nil && !slices.Contains(i.places(), at) {
		i.also = append(i.also, at)
		j.add(i.appendAlso)
	}
}

// aliasOf notes a name of an inode of which another name comes or goes: a change of the one is a
// change of the other.
func (j *Journal) aliasOf(id ID, full string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	at, name := j.parent(full, id)
	i := j.index.inodes[id]
	if i == nil && at != nil {
		if fd, err := j.handle(at); err == nil {
			if now, err := look(fd, name); err == nil && now.ID == id {
				i = j.inode(at, name, now)
			}
		}
	}
	if i != nil {
		j.alias(i, location{at, name})
	}
	return j.done(nil)
}

// parent is the folder of the file that has this name now, nil if another one has it.
func (j *Journal) parent(full string, id ID) (*folder, string) {
	if t := j.tree(full); t != nil && t.name == full && t.before.ID == id {
		j.note(t)
		return t, "."
	}
	dir, name := path.Split(full)
	if dir = path.Clean(dir); name == "" || j.tree(dir) == nil {
		return nil, ""
	}
	f := j.index.paths[dir]
	if f == nil || j.isAt(f, name, id) != nil {
		if f, _ = j.walk(dir); f == nil || j.isAt(f, name, id) != nil {
			return nil, ""
		}
		j.index.paths[dir] = f
	}
	return f, name
}

func (j *Journal) isAt(f *folder, name string, id ID) error {
	fd, err := j.handle(f)
	if err != nil {
		return err
	}
	if s, err := look(fd, name); err != nil || s.ID != id {
		return unix.ENOENT
	}
	return nil
}

// touch notes that the times of a folder change.
func (j *Journal) touch(dir int) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	f, err := j.folder(dir, pathOf(dir))
	if f != nil {
		f.touched = true
	}
	return j.done(err)
}

// done ends the note of one change.
func (j *Journal) done(err error) error {
	if e, ok := err.(*NotKeptError); ok {
		j.lack(Lack{e.Path, e.Err.Error()})
	}
	if e := j.flush(); e != nil {
		return e
	}
	return err
}
