//go:build linux || darwin

package undo

import (
	"crypto/sha256"
	"errors"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// The content of so many files of at most this size goes into the journal as a sum: time and size
// alone could be forged.
const (
	sums    = 100
	sumSize = 64 << 10
)

// Close notes what the run left, and forces the journal to the disk. A journal without records
// leaves nothing.
func (j *Journal) Close(how End) (Summary, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	defer j.release()
	if j.out == nil && j.err == nil {
		lacks, walked := j.search(how.Walk)
		return summary(&book{lacks: lacks, end: &end{walked: walked}}), nil
	}
	c := &closing{Journal: j, at: map[ID]location{}, sums: sums, ajar: ajar{}}
	c.openUp()
	c.entries()
	c.inodes()
	c.folders()
	c.free()
	lacks, walked := j.search(how.Walk)
	for _, l := range lacks {
		j.add(l.append)
	}
	j.book.lacks = append(j.book.lacks, lacks...)
	c.ajar.shut() // before the run has ended: what it left is the mode without this
	settled := j.budget.settle()
	j.book.end = &end{kept: j.budget.kept, walked: walked}
	j.add(j.book.end.append)
	err := j.flush()
	if err == nil {
		err = j.finish()
	}
	return summary(&j.book), errors.Join(err, settled)
}

// Changes returns what the run changed, sorted by path, once the journal is closed.
func (j *Journal) Changes() []Change { return j.book.changes() }

// finish gives the file the name of a closed journal, and forces all to the disk.
func (j *Journal) finish() error {
	home := j.places[0].fd
	if err := unix.Renameat(home, journalName, home, closedName); err != nil {
		return &os.PathError{Op: "rename", Path: journalName, Err: err}
	}
	for _, i := range j.book.inodes {
		if i.copied.kind == objectCopy {
			j.startWriting(i.copied)
		}
	}
	for _, p := range j.places[1:] {
		if p.fd != 0 {
			fsyncFolder(p.fd)
		}
	}
	return j.out.Sync()
}

// startWriting has the content of a copy written, so that the one sync of the journal, which
// writes the metadata of its file system, finds nothing left to place.
func (j *Journal) startWriting(o object) {
	fd, err := open(j.places[o.place].fd, o.file(), unix.O_RDONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	startSync(fd)
}

func fsyncFolder(fd int) {
	if d, err := open(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0); err == nil {
		_ = unix.Fsync(d)
		unix.Close(d)
	}
}

// closing is the end of a journal.
type closing struct {
	*Journal
	at   map[ID]location // where the inodes of the entries are
	had  map[*inode]bool // those that were at an entry
	sums int
	ajar ajar
}

// openUp opens the folders that the run has closed, to see what is in them.
func (c *closing) openUp() {
	for again := true; again; {
		again = false
		for _, f := range c.book.folders {
			if fd, err := c.handle(f); err == nil {
				again = c.ajar.open(fd, 0o500) || again
			}
		}
	}
}

func (c *closing) entries() {
	c.had = map[*inode]bool{}
	for _, e := range c.book.entries {
		c.had[e.before] = true
	}
	for n, e := range c.book.entries {
		if fd, err := c.handle(e.in); err == nil {
			e.left = c.state(fd, e.name)
		}
		e.closed = true
		if !e.left.Absent() {
			c.at[e.left.ID] = location{e.in, e.name}
		}
		if i := c.index.inodes[e.left.ID]; i != nil && i.isMissed(e.left) {
			c.lack(Lack{e.path(), unnoted})
		}
		if c.isOthers(e) { // so an undo does not remove it
			c.lack(Lack{e.path(), putThere})
			e.left = State{}
		}
		c.add(func(b []byte) []byte { return appendLeft(b, recordLeftEntry, n+1, &e.left) })
	}
}

const putThere = "another program put there what is there now"

// isOthers reports whether what is at an entry, which was empty before, is an older file that the
// run did not bring there: it has no other name, and the run knows of none that it had. An undo
// brings what is in the store.
func (c *closing) isOthers(e *entry) bool {
	id := e.left.ID
	i := c.index.inodes[id]
	if e.before != nil || i == nil || e.left.Links != 1 || id.Birth == 0 || c.had[i] ||
		id.Birth >= c.book.head.start || len(c.book.head.of) > 0 {
		return false
	}
	return !slices.ContainsFunc(i.places(),
		func(at location) bool { return at != location{e.in, e.name} })
}

// isMissed reports whether an inode of which only entries were noted has changed as well.
func (i *inode) isMissed(left State) bool {
	b := &i.before
	same := b.Mode == left.Mode && b.UID == left.UID && b.GID == left.GID &&
		(b.Folder() || b.Modified == left.Modified)
	return !i.marked && i.copied.kind == 0 && !same
}

// state is what is at an entry, with the target of a link and the sum of a small file.
func (c *closing) state(fd int, name string) State {
	s, err := look(fd, name)
	s = c.ajar.really(s)
	switch {
	case err != nil:
		return State{}
	case s.Link():
		s.Target, _ = readlink(fd, name)
	case s.Regular() && s.Size <= sumSize && c.sums > 0:
		c.sums--
		s.Sum = sum(fd, name, s.Size)
	}
	return s
}

// sum is the SHA-256 of the content of a file of that size, "" if it cannot be read.
func sum(dir int, name string, size int64) string {
	fd, err := open(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|quietly, 0)
	if err == unix.EPERM {
		fd, err = open(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	}
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	b := make([]byte, size+1) // with one byte more, it became longer meanwhile
	n := 0
	for n < len(b) {
		m, err := unix.Read(fd, b[n:])
		if err != nil && err != unix.EINTR {
			return ""
		}
		if m == 0 && err == nil {
			break
		}
		n += max(m, 0)
	}
	h := sha256.Sum256(b[:n])
	return string(h[:])
}

func (c *closing) inodes() {
	for _, i := range c.book.inodes {
		if !i.marked && i.copied.kind == 0 {
			continue
		}
		fd, name := c.whereIs(i)
		if name == "" {
			continue
		}
		left := c.state(fd, name)
		if left.ID != i.before.ID {
			continue
		}
		i.left = &left
		if h, err := open(fd, name, theEntry, 0); err == nil {
			i.leftMarks, _ = attributes(h)
			unix.Close(h)
		}
		c.add(func(b []byte) []byte {
			return appendAttributes(appendLeft(b, recordLeftInode, i.n, i.left), i.leftMarks)
		})
	}
}

// whereIs is a name of an inode: in the trees, or in the store.
func (c *closing) whereIs(i *inode) (fd int, name string) {
	for _, at := range append(i.places(), c.at[i.before.ID]) {
		if at.in == nil {
			continue
		}
		if fd, err := c.handle(at.in); err == nil {
			if s, err := look(fd, at.name); err == nil && s.ID == i.before.ID {
				c.at[i.before.ID] = at
				return fd, at.name
			}
		}
	}
	if i.held.kind != 0 {
		return c.places[i.held.place].fd, i.held.file()
	}
	return -1, ""
}

// free removes the links of what has its name still, because the call failed or another name was
// meant: a file of the tree has no more names than before.
func (c *closing) free() {
	for _, i := range c.book.inodes {
		if i.held.kind == objectLink && c.alive(i) {
			_ = unix.Unlinkat(c.places[i.held.place].fd, i.held.file(), 0)
		}
	}
}

func (c *closing) alive(i *inode) bool {
	if _, there := c.at[i.before.ID]; there {
		return true
	}
	for _, at := range i.also {
		if fd, err := c.handle(at.in); err == nil {
			if s, err := look(fd, at.name); err == nil && s.ID == i.before.ID {
				return true
			}
		}
	}
	return false
}

func (c *closing) folders() {
	for _, f := range c.book.folders {
		if !f.touched {
			continue
		}
		if fd, err := c.handle(f); err == nil {
			if s, _, err := stat(fd, ""); err == nil {
				s = c.ajar.really(s)
				f.left = &s
				c.add(func(b []byte) []byte {
					return appendLeft(b, recordLeftFolder, f.n, f.left)
				})
			}
		}
	}
}
