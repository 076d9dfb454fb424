//go:build linux || darwin

package undo

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// What a mode forbids to the owner of a file, the owner may do after a chmod. So may a run; what
// keeps its changes and takes them back has to do the same.

// withRights calls do. Where the mode of what a handle is of forbids that, it calls do again with
// those bits in the mode, and gives back the mode.
func withRights(fd int, bits uint32, do func() error) error {
	err := do()
	if !errors.Is(err, unix.EACCES) {
		return err
	}
	mode, added := addRights(fd, bits)
	if !added {
		return err
	}
	err = do()
	if e := chmod(fd, mode); e != nil && err == nil {
		err = e
	}
	return err
}

// addRights adds bits to the mode of what a handle is of, if some are missing, and returns the mode
// that it had. Only the owner can, and a chmod would drop the bit of a group that is not theirs.
func addRights(fd int, bits uint32) (mode uint32, added bool) {
	s, _, err := stat(fd, "")
	if err != nil || s.Link() || s.Mode&bits == bits || os.Geteuid() == 0 ||
		int(s.UID) != os.Geteuid() || s.Mode&unix.S_ISGID != 0 && !inGroup(int(s.GID)) {
		return 0, false
	}
	return s.Mode, chmod(fd, s.Mode|bits) == nil
}

func inGroup(gid int) bool {
	groups, err := os.Getgroups()
	return gid == os.Getegid() || err == nil && slices.Contains(groups, gid)
}

func chmod(fd int, mode uint32) error { return unix.Chmod(through(fd), mode&0o7777) }

// moveFolder renames a folder. One that gets another parent must be writable itself.
func moveFolder(dir int, name string, to int, toName string) error {
	fd, err := openFolder(dir, name)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return withRights(fd, 0o200, func() error {
		return renameNew(dir, name, to, toName)
	})
}

// removeAll deletes a folder of the store, also what an undo moved there without rights.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if errors.Is(err, unix.EACCES) {
		_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, _ error) error {
			if d != nil && d.IsDir() {
				if fd, err := openFolder(unix.AT_FDCWD, path); err == nil {
					addRights(fd, 0o700)
					unix.Close(fd)
				}
			}
			return nil
		})
		err = os.RemoveAll(dir)
	}
	return err
}
