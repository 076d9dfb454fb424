package undo

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// copy keeps the content of a file.
func (j *Journal) copy(i *inode, handle int, full string, now State) error {
	disk := diskOf(handle, "")
	if min(now.Size, disk) > j.store.o.File { // holes are not copied
		return &NotKeptError{full, ErrTooLarge}
	}
	place := max(j.placeOfHandle(handle), 0)
	err := j.begin()
	if err == nil {
		err = j.places[place].open(j.book.head.run)
	}
	if err == nil {
		err = j.budget.charge(disk)
	}
	if err != nil {
		return &NotKeptError{full, err}
	}
	j.n++
	o := object{objectCopy, place, j.n}
	if err := copyTo(j.places[place].fd, strconv.Itoa(j.n), handle, now.Size); err != nil {
		j.budget.refund(disk)
		_ = unix.Unlinkat(j.places[place].fd, strconv.Itoa(j.n), 0)
		return &NotKeptError{full, err}
	}
	i.copied = o
	j.add(func(b []byte) []byte { return i.appendObject(b, o) })
	return nil
}

// diskOf is how much a file takes.
func diskOf(dir int, name string) int64 {
	_, at, _ := stat(dir, name)
	return at.disk
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
	from, err := open(unix.AT_FDCWD, through(handle), unix.O_RDONLY|unix.O_NOATIME, 0)
	if err == unix.EPERM { // not the owner
		from, err = open(unix.AT_FDCWD, through(handle), unix.O_RDONLY, 0)
	}
	if err != nil {
		return err
	}
	src := os.NewFile(uintptr(from), "pre-image")
	defer src.Close()
	to, err := open(dir, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	dst := os.NewFile(uintptr(to), name)
	defer dst.Close()
	if unix.IoctlFileClone(to, from) == nil {
		return dst.Truncate(size)
	}
	return copyData(dst, src, size)
}

// copyData copies the parts that have data.
func copyData(dst, src *os.File, size int64) error {
	for at := int64(0); at < size; {
		data, err := unix.Seek(int(src.Fd()), at, unix.SEEK_DATA)
		if err == unix.ENXIO {
			break
		}
		hole := size
		if err != nil {
			data = at // the file system knows no holes
		} else if hole, err = unix.Seek(int(src.Fd()), data, unix.SEEK_HOLE); err != nil {
			return err
		}
		if data, hole = min(data, size), min(hole, size); data == hole {
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
