//go:build linux || darwin

package undo

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// A source is a pre-image in the store.
type source struct {
	dir  int
	name string
}

// objects finds pre-images of a run, and of the undos of it: those took what it held.
type objects struct {
	folders map[string]int // handles, each opened once
	held    map[ID][]heldBy
	links   map[ID]uint32 // see names
}

type heldBy struct {
	run    *Run
	object object
}

func newObjects(runs []*Run) *objects {
	o := &objects{folders: map[string]int{}, held: map[ID][]heldBy{}}
	for _, r := range runs {
		for _, i := range r.book.inodes {
			if i.held.kind != 0 {
				o.held[i.before.ID] = append(o.held[i.before.ID], heldBy{r, i.held})
			}
		}
	}
	return o
}

func (o *objects) folder(r *Run, place int) (int, error) {
	path := filepath.Join(r.book.head.places[place], r.book.head.run)
	if fd, ok := o.folders[path]; ok {
		return fd, nil
	}
	fd, err := openFolder(unix.AT_FDCWD, path)
	if err == nil {
		o.folders[path] = fd
	}
	return fd, err
}

func (o *objects) close() {
	for _, fd := range o.folders {
		unix.Close(fd)
	}
}

// find returns where an inode is held.
func (o *objects) find(id ID) (source, bool) {
	for _, h := range o.held[id] {
		fd, err := o.folder(h.run, h.object.place)
		if err != nil {
			continue
		}
		if s, err := look(fd, h.object.file()); err == nil && s.ID == id {
			return source{fd, h.object.file()}, true
		}
	}
	return source{}, false
}

// names returns how many names an inode has in the store, besides those in the undo that goes on.
func (o *objects) names(id ID, runs []*Run) uint32 {
	if o.links == nil {
		o.links = map[ID]uint32{}
		for _, r := range runs {
			for place := range r.book.head.places {
				o.count(r, place)
			}
		}
	}
	return o.links[id]
}

func (o *objects) count(r *Run, place int) {
	dir, err := o.folder(r, place)
	if err != nil {
		return
	}
	list, _ := os.ReadDir(through(dir))
	for _, d := range list {
		if s, err := look(dir, d.Name()); err == nil && !s.Absent() {
			o.links[s.ID]++
		}
	}
}

// dropUnnoted removes the links that a crash kept from the journal: their changes were not made.
func (o *objects) dropUnnoted(r *Run) {
	noted := map[object]bool{}
	for _, i := range r.book.inodes {
		for _, p := range []object{i.held, i.copied} {
			if p.kind != objectShort {
				noted[object{place: p.place, n: p.n}] = true
			}
		}
	}
	for place := range r.book.head.places {
		dir, err := o.folder(r, place)
		if err != nil {
			continue
		}
		list, _ := os.ReadDir(through(dir))
		for _, d := range list {
			n, err := strconv.ParseInt(d.Name(), 10, 64)
			if err != nil || noted[object{place: place, n: n}] {
				continue
			}
			if s, err := look(dir, d.Name()); err == nil && s.Links > 1 && !s.Folder() {
				_ = unix.Unlinkat(dir, d.Name(), 0)
			}
		}
	}
}

// openCopy opens the copy of an inode's content.
func (o *objects) openCopy(r *Run, i *inode) (*os.File, error) {
	if i.copied.kind == 0 {
		return nil, errors.New("its content was not kept")
	}
	if i.copied.kind == objectShort {
		return r.short(i.copied)
	}
	fd, err := o.folder(r, i.copied.place)
	if err != nil {
		return nil, err
	}
	return openRegular(fd, i.copied.file())
}

// openRegular opens a regular file, and nothing else.
func openRegular(dir int, name string) (*os.File, error) {
	fd, err := open(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if s, _, err := stat(fd, ""); err != nil || !s.Regular() {
		unix.Close(fd)
		return nil, errors.New("it is not a regular file")
	}
	return os.NewFile(uintptr(fd), name), nil
}

// common returns how many bytes two files have in common at the start, and the length of the first
// one.
func common(a, b *os.File) (same, size int64, err error) {
	info, err := a.Stat()
	if err != nil {
		return 0, 0, err
	}
	x, y := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(a, x)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return same, info.Size(), err
		}
		m, err := io.ReadFull(b, y)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return same, info.Size(), err
		}
		if k := min(n, m); k == 0 || !bytes.Equal(x[:k], y[:k]) {
			for i := 0; i < k && x[i] == y[i]; i++ {
				same++
			}
			return same, info.Size(), nil
		}
		same += int64(min(n, m))
	}
}
