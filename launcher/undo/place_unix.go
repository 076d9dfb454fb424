//go:build linux || darwin

package undo

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval/flock"
)

// A place is a folder for pre-images. Links lead there from the files of its mount.
type place struct {
	path  string
	mount uint64
	fd    int      // of the run's folder in it, 0 if that was not made yet
	used  *os.File // the folder itself, if it is removed when no one uses it; see use
}

// private opens a folder that belongs to this user alone, and makes it if it is missing.
func private(path string) (fd int, err error) {
	if err := unix.Mkdir(path, 0o700); err != nil && err != unix.EEXIST {
		return -1, &os.PathError{Op: "mkdir", Path: path, Err: err}
	}
	fd, err = openFolder(unix.AT_FDCWD, path)
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	s, _, err := stat(fd, "")
	if err == nil && (int(s.UID) != os.Geteuid() || s.Mode&0o077 != 0) {
		err = unix.EPERM
	}
	if err != nil {
		unix.Close(fd)
		return -1, &os.PathError{Op: "use", Path: path, Err: err}
	}
	return fd, nil
}

func besideFolder() string { return ".tada-undo-" + strconv.Itoa(os.Geteuid()) }

// beside finds a folder for pre-images on the mount of a tree: in the topmost folder of that mount
// where this user may make one, outside of all trees and repositories. It returns nil if there is
// none.
func beside(tree string, mount uint64, trees []string) *place {
	var ways []string
	for dir := filepath.Dir(tree); ; dir = filepath.Dir(dir) {
		if _, at, err := stat(unix.AT_FDCWD, dir); err != nil || at.mount != mount {
			break
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			ways = nil
		} else if !within(dir, trees) {
			ways = append(ways, dir)
		}
		if dir == "/" {
			break
		}
	}
	for i := len(ways) - 1; i >= 0; i-- {
		path := filepath.Join(ways[i], besideFolder())
		if f := use(path); f != nil {
			return &place{path: path, mount: mount, used: f}
		}
	}
	return nil
}

// use opens a folder beside a tree, and makes it if it is missing. Who uses it has a shared lock on
// it: no one removes it meanwhile, so that it stays hidden from the sandboxes that hide it.
func use(path string) *os.File {
	for range 10 {
		fd, err := private(path)
		if err != nil {
			return nil
		}
		f := lockable(fd, path)
		if f == nil {
			return nil
		}
		if flock.Do(f, unix.LOCK_SH) == nil {
			mine, _, err1 := stat(int(f.Fd()), "")
			there, _, err2 := stat(unix.AT_FDCWD, path)
			if err1 == nil && err2 == nil && mine.ID == there.ID {
				return f
			}
		}
		f.Close() // it was removed before it was locked
	}
	return nil
}

// leave ends the use of a folder, and removes it if it is empty and no one else uses it.
func leave(f *os.File) {
	if flock.Try(f) == nil {
		_ = unix.Rmdir(f.Name())
	}
	_ = flock.Unlock(f) // a process that is just being started may have it too
	f.Close()
}

// tidy removes a folder beside a tree that nothing is left in.
func tidy(path string) {
	fd, err := openFolder(unix.AT_FDCWD, path)
	if err != nil {
		return
	}
	if f := lockable(fd, path); f != nil {
		leave(f)
	}
}

// lockable opens the folder of a handle so that it can be locked, and closes the handle.
func lockable(handle int, path string) *os.File {
	defer unix.Close(handle)
	fd, err := open(handle, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), path)
}

// within reports whether a path is one of the trees or in one.
func within(path string, trees []string) bool {
	return slices.ContainsFunc(trees, func(t string) bool {
		return path == t || t == "/" || strings.HasPrefix(path, t+"/")
	})
}

// open makes the run's folder in the place, at the first pre-image.
func (p *place) open(run string) error {
	if p.fd != 0 {
		return nil
	}
	fd, err := private(filepath.Join(p.path, run))
	if err == nil {
		p.fd = fd
	}
	return err
}
