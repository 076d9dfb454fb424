//go:build amd64 || arm64

package broker

import (
	"path"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// Spares are objects that Landlock grants all rights on and that have no place yet. What a run
// makes where something is hidden would get no rights, and to execute a file takes one: the broker
// can open it for the caller, and cannot execute it. So new entries there are spares, as long as
// there are some. Files have no name before (O_TMPFILE), folders have one in a folder of the
// launcher's.
type Spares struct {
	Mount   uint64 // the number of the mount that they are on
	Files   []int  // handles
	Folders int    // how many, named by numbers from 0 on
	Place   string // the folder that these are in; "" for none

	mu    sync.Mutex
	place int  // a handle
	far   bool // the folders are on another mount
}

// reserved are the files that only programs get: of what else is made there may be any number.
const reserved = 16

// file opens a file that gets a name which is not taken. made is false when the caller has to make
// one.
func (s *Spares) file(dir int, name string, flags int, mode uint32) (fd int, made bool, err error) {
	if s == nil {
		return -1, false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.Files) - 1
	if last < 0 || last < reserved && mode&0o111 == 0 || !s.fits(dir) {
		return -1, false, nil
	}
	at := s.Files[last]
	// before it has its mode, which may allow less
	if fd, err = openAgain(at, flags); err != nil {
		return -1, false, nil
	}
	err = unix.Linkat(unix.AT_FDCWD, selfFile(at), dir, name, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		unix.Close(fd)
		return -1, err == unix.EEXIST, err
	}
	s.Files = s.Files[:last]
	freshen(at, mode)
	unix.Close(at)
	return fd, true, nil
}

// folder makes a folder of a spare.
func (s *Spares) folder(dir int, name string, mode uint32) (made bool, err error) {
	if s == nil {
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Folders == 0 || s.far || !s.fits(dir) {
		return false, nil
	}
	if s.place == 0 {
		if s.place, err = unix.Open(s.Place, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC,
			0); err != nil {
			s.place, s.far = 0, true
			return false, nil
		}
	}
	spare := strconv.Itoa(s.Folders - 1)
	err = unix.Renameat2(s.place, spare, dir, name, unix.RENAME_NOREPLACE)
	if err != nil {
		s.far = err == unix.EXDEV
		return err == unix.EEXIST, err
	}
	s.Folders--
	at, err := unix.Openat(dir, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		freshen(at, mode)
		unix.Close(at)
	}
	return true, nil
}

// fits reports whether what is made at a place is as a spare is: on its mount, and of the
// launcher's group.
func (s *Spares) fits(dir int) bool {
	var st unix.Statx_t
	err := unix.Statx(dir, "", unix.AT_EMPTY_PATH, unix.STATX_MODE|unix.STATX_MNT_ID, &st)
	return err == nil && st.Mnt_id == s.Mount && st.Mode&unix.S_ISGID == 0
}

// freshen gives what has waited the mode and times of something new.
func freshen(at int, mode uint32) {
	now := []unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}
	_ = unix.UtimesNanoAt(unix.AT_FDCWD, selfFile(at), now, 0)
	_ = unix.Fchmodat(unix.AT_FDCWD, selfFile(at), mode, 0)
}

// Close removes what has not been used.
func (s *Spares) Close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, fd := range s.Files {
		unix.Close(fd)
	}
	s.Files = nil
	if s.place != 0 {
		unix.Close(s.place)
		s.place = 0
	}
	for ; s.Folders > 0; s.Folders-- {
		_ = unix.Rmdir(path.Join(s.Place, strconv.Itoa(s.Folders-1)))
	}
	if s.Place != "" {
		_ = unix.Rmdir(s.Place)
		s.Place = ""
	}
}
