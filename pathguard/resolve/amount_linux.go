package resolve

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// The bounds of a count: what is larger is told as more than that. They keep the question about a
// home directory from waiting for its disk.
const (
	maxCounted = 10_000 // entries
	maxDeep    = 64     // directories, each of which is open while what is in it is counted
)

// Amount counts what is at the target now, on its own filesystem. It follows no symbolic link. ok
// is false if the plan holds no file of it.
func (t *Target) Amount() (a Amount, ok bool) {
	if !t.Exists || t.file == nil {
		return Amount{}, false
	}
	err := t.file.Use(func(fd int) error {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return err
		}
		if st.Mode&unix.S_IFMT != unix.S_IFDIR {
			a.add(&st)
			return nil
		}
		a.Dir = true
		left := maxCounted
		a.below(fd, st.Dev, maxDeep, &left)
		return nil
	})
	return a, err == nil
}

func (a *Amount) add(st *unix.Stat_t) {
	a.Files++
	if st.Mode&unix.S_IFMT == unix.S_IFREG && st.Nlink == 1 {
		a.Bytes += st.Size
	}
}

// below counts what is in a directory, as long as entries are left.
func (a *Amount) below(dir int, dev uint64, deep int, left *int) {
	fd, err := unix.Openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil || deep == 0 {
		if a.More = true; err == nil {
			unix.Close(fd)
		}
		return
	}
	f := os.NewFile(uintptr(fd), "directory")
	defer f.Close()
	for {
		names, err := f.Readdirnames(256)
		for _, name := range names {
			if *left--; *left < 0 {
				a.More = true
				return
			}
			a.entry(fd, name, dev, deep, left)
		}
		if err != nil || len(names) == 0 {
			return
		}
	}
}

func (a *Amount) entry(dir int, name string, dev uint64, deep int, left *int) {
	var st unix.Stat_t
	err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case errors.Is(err, unix.ENOENT): // gone since
	case err != nil:
		a.More = true
	case st.Mode&unix.S_IFMT != unix.S_IFDIR:
		a.add(&st)
	case st.Dev != dev:
		a.More = true
	default:
		sub, err := unix.Openat(dir, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			a.More = true
			return
		}
		a.below(sub, dev, deep-1, left)
		unix.Close(sub)
	}
}
