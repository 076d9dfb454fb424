package undo

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A place is a folder for pre-images. Links lead there from the files of its mount.
type place struct {
	path  string
	mount uint64
	fd    int // of the run's folder in it, 0 if that was not made yet
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
// where this user may make one, outside of all trees and repositories. It returns "" if there is
// none.
func beside(tree string, mount uint64, trees []string) string {
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
		if fd, err := private(path); err == nil {
			unix.Close(fd)
			return path
		}
	}
	return ""
}

// within reports whether a path is one of the trees or in one.
func within(path string, trees []string) bool {
	for _, t := range trees {
		if path == t || t == "/" || strings.HasPrefix(path, t+"/") {
			return true
		}
	}
	return false
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
