package undo

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// copyBack makes a file of its copy; it gets its name when it is complete.
func (r *restorer) copyBack(i *inode, dir int, name string) error {
	src, err := r.objects.openCopy(r.run, i)
	if err != nil {
		return err
	}
	defer src.Close()
	fd, err := open(dir, ".", unix.O_TMPFILE|unix.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := fill(fd, src, i.before.Size); err != nil {
		return err
	}
	if err := restoreMarks(fd, i.before, i.attributes); err != nil {
		return err
	}
	return unix.Linkat(unix.AT_FDCWD, through(fd), dir, name, unix.AT_SYMLINK_FOLLOW)
}

// restoreMarks gives an inode its owner, mode, attributes and times. fd may be an O_PATH handle.
func restoreMarks(fd int, was State, list []attribute) error {
	now, _, err := stat(fd, "")
	if err != nil {
		return err
	}
	var failed []error
	if now.UID != was.UID || now.GID != was.GID {
		failed = append(failed, unix.Fchownat(fd, "", int(was.UID), int(was.GID),
			unix.AT_EMPTY_PATH))
	}
	if !was.Link() { // only a file that may be written takes attributes
		failed = append(failed, chmod(fd, was.Mode))
	}
	failed = append(failed, withRights(fd, 0o600, func() error { return setAttributes(fd, list) }))
	return errors.Join(append(failed, setTimes(fd, was))...)
}

func setTimes(fd int, was State) error {
	return unix.UtimesNanoAt(unix.AT_FDCWD, through(fd), []unix.Timespec{
		unix.NsecToTimespec(was.Accessed), unix.NsecToTimespec(was.Modified)}, 0)
}

// fill writes the content of a copy.
func fill(fd int, src *os.File, size int64) error {
	b := make([]byte, 64<<10)
	for at := int64(0); at < size; {
		n, err := src.ReadAt(b[:min(int64(len(b)), size-at)], at)
		if n == 0 && err != nil {
			return err
		}
		for w := 0; w < n; {
			m, err := unix.Pwrite(fd, b[w:n], at+int64(w))
			if err != nil && err != unix.EINTR {
				return err
			}
			w += max(m, 0)
		}
		at += int64(n)
	}
	return unix.Ftruncate(fd, size)
}
