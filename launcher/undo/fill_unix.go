//go:build linux || darwin

package undo

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// copyBack makes a file of its copy; it gets its name when it is complete.
func (r *restorer) copyBack(i *inode, dir int, name string) (err error) {
	src, err := r.objects.openCopy(r.run, i)
	if err != nil {
		return err
	}
	defer src.Close()
	fd, err := openNew(dir)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			dropNew(fd)
		}
		unix.Close(fd)
	}()
	if err := fill(fd, src, i.before.Size); err != nil {
		return err
	}
	if err := restoreMarks(fd, i.before, i.attributes); err != nil {
		return err
	}
	return giveName(fd, dir, name)
}

// restoreMarks gives an inode its owner, mode, attributes and times. fd may be an O_PATH handle.
func restoreMarks(fd int, was State, list []attribute) error {
	now, _, err := stat(fd, "")
	if err != nil {
		return err
	}
	var failed []error
	if now.UID != was.UID || now.GID != was.GID {
		failed = append(failed, chown(fd, int(was.UID), int(was.GID)))
	}
	if !was.Link() { // only a file that may be written takes attributes
		failed = append(failed, chmod(fd, was.Mode))
	}
	failed = append(failed, withRights(fd, 0o600, func() error { return setAttributes(fd, list) }))
	return errors.Join(append(failed, setTimes(fd, was))...)
}

func setTimes(fd int, was State) error {
	return unix.UtimesNanoAt(unix.AT_FDCWD, through(fd), []unix.Timespec{
		unix.NsecToTimespec(was.Accessed), unix.NsecToTimespec(was.Modified)}, timesOf)
}

// fill writes the content of a copy; holes stay holes.
func fill(fd int, src *os.File, size int64) error {
	if info, err := src.Stat(); err != nil || info.Size() < size {
		return errors.Join(io.ErrUnexpectedEOF, err)
	}
	for at := int64(0); at < size; {
		data, hole, err := nextData(src, at, size)
		if err == nil {
			err = empty(fd, at, data)
		}
		if err == nil {
			err = write(fd, io.NewSectionReader(src, data, hole-data), data)
		}
		if err != nil {
			return err
		}
		at = hole
	}
	return unix.Ftruncate(fd, size)
}

// empty makes a part of a file a hole, or writes zeros where the file system has no holes. What is
// behind the end of the file is left to ftruncate.
func empty(fd int, from, to int64) error {
	if from == to {
		return nil
	}
	if punch(fd, from, to-from) {
		return nil
	}
	now, _, err := stat(fd, "")
	if err != nil || now.Size <= from {
		return err
	}
	return write(fd, io.LimitReader(zeros{}, min(to, now.Size)-from), from)
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// write writes all that there is to read at a place of a file.
func write(fd int, src io.Reader, at int64) error {
	b := make([]byte, 64<<10)
	for {
		n, err := src.Read(b)
		for w := 0; w < n; {
			m, err := unix.Pwrite(fd, b[w:n], at+int64(w))
			if err != nil && err != unix.EINTR {
				return err
			}
			w += max(m, 0)
		}
		if at += int64(n); err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
