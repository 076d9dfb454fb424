//go:build linux || darwin

package undo

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// short is the length up to which content is written into the journal: that is cheaper than a
// file.
const short = 16 << 10

// copy keeps the content of a file.
func (j *Journal) copy(i *inode, handle int, full string, now State) error {
	_, at, err := stat(handle, "")
	switch {
	case err != nil:
		return &NotKeptError{full, err}
	case min(now.Size, at.disk) > j.store.o.File: // holes are not copied
		return &NotKeptError{full, ErrTooLarge}
	}
	if err = j.begin(); err == nil {
		err = j.budget.charge(at.disk)
	}
	if err != nil {
		return &NotKeptError{full, err}
	}
	if now.Size <= short {
		err = j.copyShort(i, handle, now.Size)
	} else {
		err = j.copyFile(i, handle, now.Size)
	}
	if err == nil && j.budget.stands && !isUnchanged(handle, now) {
		err, i.copied = ErrChanging, object{}
	}
	if err != nil {
		j.budget.refund(at.disk)
		return &NotKeptError{full, err}
	}
	return nil
}

// isUnchanged reports whether the content of a file is as old as it was.
func isUnchanged(handle int, was State) bool {
	now, _, err := stat(handle, "")
	return err == nil && now.ID == was.ID && now.Size == was.Size && now.Modified == was.Modified
}

// copyShared copies what is held by a link too, where something could still change its content by
// another name, or a descriptor. Of what stands for a question nothing is left to luck.
func (j *Journal) copyShared(place int, o object, i *inode, now State, full string) error {
	if !j.budget.stands || !now.Regular() || i.copied.kind != 0 {
		return nil
	}
	to := j.places[place].fd
	if now.Links == 1 && !isWritten(to, o.file()) {
		return nil
	}
	fd, err := open(to, o.file(), theEntry, 0)
	if err != nil {
		return &NotKeptError{full, err}
	}
	defer unix.Close(fd)
	if err := j.marksOf(i, fd, full); err != nil {
		return err
	}
	return j.copy(i, fd, full, now)
}

func (j *Journal) marksOf(i *inode, fd int, full string) (err error) {
	if i.marked {
		return nil
	}
	if i.attributes, err = attributes(fd); err != nil {
		return &NotKeptError{full, err}
	}
	i.marked = true
	j.add(i.appendAttributes)
	return nil
}

func (j *Journal) copyShort(i *inode, handle int, size int64) error {
	if j.short == nil {
		j.short = make([]byte, short)
	}
	b := j.short[:size]
	if size > 0 {
		fd, err := openToRead(handle)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		for n := 0; n < len(b); {
			m, err := unix.Pread(fd, b[n:], int64(n))
			if err != nil && err != unix.EINTR {
				return err
			}
			if m == 0 && err == nil {
				clear(b[n:]) // it became shorter meanwhile
				break
			}
			n += max(m, 0)
		}
	}
	i.copied = object{kind: objectShort}
	j.add(func(to []byte) []byte { return i.appendContent(to, b) })
	return nil
}

func (j *Journal) copyFile(i *inode, handle int, size int64) error {
	place := max(j.placeOfHandle(handle), 0)
	if err := j.places[place].open(j.book.head.run); err != nil {
		return err
	}
	j.n++
	o := object{objectCopy, place, j.n}
	if err := copyTo(j.places[place].fd, o.file(), handle, size); err != nil {
		_ = unix.Unlinkat(j.places[place].fd, o.file(), 0)
		return err
	}
	i.copied = o
	j.add(func(b []byte) []byte { return i.appendObject(b, o) })
	return nil
}

// openToRead opens the regular file that a handle is of.
func openToRead(handle int) (fd int, err error) {
	err = withRights(handle, 0o400, func() error {
		fd, err = openAgain(handle, unix.O_RDONLY|quietly)
		if err == unix.EPERM { // not the owner
			fd, err = openAgain(handle, unix.O_RDONLY)
		}
		return err
	})
	return fd, err
}

func (j *Journal) placeOfHandle(handle int) int {
	if _, at, err := stat(handle, ""); err == nil {
		for n, p := range j.places {
			if p.mount == at.mount {
				return n
			}
		}
	}
	return -1
}

// copyTo copies the first bytes of what a handle is of to a new file; holes stay holes.
func copyTo(dir int, name string, handle int, size int64) error {
	from, err := openToRead(handle)
	if err != nil {
		return err
	}
	src := os.NewFile(uintptr(from), "pre-image")
	defer src.Close()
	if cloneNew(dir, name, from) {
		return nil
	}
	to, err := open(dir, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	dst := os.NewFile(uintptr(to), name)
	defer dst.Close()
	if cloneInto(to, from) {
		return dst.Truncate(size)
	}
	return copyData(dst, src, size)
}

// copyData copies the parts that have data.
func copyData(dst, src *os.File, size int64) error {
	for at := int64(0); at < size; {
		data, hole, err := nextData(src, at, size)
		if err != nil {
			return err
		}
		if data == hole {
			break
		}
		if _, err := src.Seek(data, io.SeekStart); err != nil {
			return err
		}
		if _, err := dst.Seek(data, io.SeekStart); err != nil {
			return err
		}
		n, err := io.Copy(dst, io.LimitReader(src, hole-data))
		if err != nil {
			return err
		}
		if at = hole; n < hole-data {
			break // it became shorter meanwhile
		}
	}
	return dst.Truncate(size)
}

// nextData finds where the next part of a file that has data begins and ends, in its first bytes;
// without one, both are the size.
func nextData(f *os.File, at, size int64) (data, hole int64, err error) {
	data, err = unix.Seek(int(f.Fd()), at, unix.SEEK_DATA)
	switch {
	case err == unix.ENXIO:
		return size, size, nil
	case err != nil:
		return at, size, nil // the file system knows no holes
	}
	hole, err = unix.Seek(int(f.Fd()), data, unix.SEEK_HOLE)
	return min(data, size), min(hole, size), err
}
