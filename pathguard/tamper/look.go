package tamper

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

func stampOf(st *unix.Stat_t) stamp {
	return stamp{
		dev: uint64(st.Dev), ino: st.Ino, size: st.Size, mode: uint32(st.Mode),
		mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(),
	}
}

// glance is one lstat(2). What does not exist has the zero stamp.
func glance(path string) (stamp, error) { return glanceAt(unix.AT_FDCWD, path, path) }

func glanceAt(dir int, name, path string) (stamp, error) {
	var st unix.Stat_t
	for {
		switch err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW); err {
		case nil:
			return stampOf(&st), nil
		case unix.EINTR:
		case unix.ENOENT, unix.ENOTDIR:
			return stamp{}, nil
		default:
			return stamp{}, &os.PathError{Op: "lstat", Path: path, Err: err}
		}
	}
}

// A view glances at many names, in their order: the way to a folder that several of them share is
// gone once.
type view struct {
	dir    string // of the last name
	fd     int    // the same, open
	opened bool
}

// glance is what the function glance is.
func (v *view) glance(path string) (stamp, error) {
	cut := strings.LastIndexByte(path, '/')
	if cut <= 0 || path[:cut] != v.dir {
		v.close()
		v.dir = path[:max(cut, 0)]
		return glance(path)
	}
	if !v.opened {
		fd, err := unix.Open(v.dir, forNothing|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return glance(path) // and that says why
		}
		v.fd, v.opened = fd, true
	}
	return glanceAt(v.fd, path[cut+1:], path)
}

func (v *view) close() {
	if v.opened {
		_ = unix.Close(v.fd)
	}
	*v = view{}
}

var forms = map[uint32]Form{
	unix.S_IFREG: Regular, unix.S_IFLNK: Link, unix.S_IFDIR: Directory, unix.S_IFIFO: Pipe,
	unix.S_IFSOCK: Socket,
	unix.S_IFCHR:  Device, unix.S_IFBLK: Device,
}

// look reads the file behind a name. It returns the content if it is not longer than keep; a longer
// one is only hashed. It never waits for a pipe, never wakes a device, and never follows a link.
func look(path string, keep int64) (s Seen, content []byte) {
	dir := filepath.Dir(path)
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		s.Real = real
	}
	for range lookTries {
		st, err := glance(path)
		if err != nil {
			return unreadable(s, err), nil
		}
		if st == (stamp{}) {
			return Seen{}, nil // where nothing is, it does not matter where
		}
		s.stamp, s.Form, s.Mode, s.Size = st, forms[st.mode&unix.S_IFMT], st.mode&0o7777, st.size
		switch s.Form {
		case Link:
			s.Target, err = os.Readlink(path)
			s.Raw, s.Mode = hexSum([]byte(s.Target)), 0
		case Regular:
			content, err = s.read(path, keep)
		}
		if errors.Is(err, errMoving) || errors.Is(err, os.ErrNotExist) {
			s.Raw, s.Text, s.Target = "", "", ""
			continue
		}
		if err != nil {
			return unreadable(s, err), nil
		}
		return s, content
	}
	return unreadable(s, errMoving), nil
}

// lookTries is how often a file that changes while it is read is read again. A file that is still
// changing after that has no single content that anyone could have seen.
const lookTries = 8

var errMoving = errors.New("it changed while it was read")

func unreadable(s Seen, err error) Seen {
	return Seen{Form: Unreadable, Real: s.Real, Why: err.Error(), Raw: hexSum([]byte(err.Error()))}
}

// read fills in size and hashes of the file that was glanced at.
func (s *Seen) read(path string, keep int64) ([]byte, error) {
	fd, err := unix.Open(path,
		unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	switch {
	case err == unix.ELOOP: // a link since we glanced
		return nil, errMoving
	case err != nil:
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, &os.PathError{Op: "fstat", Path: path, Err: err}
	}
	if stampOf(&st) != s.stamp {
		return nil, errMoving
	}
	var content []byte
	if st.Size <= keep {
		content, err = io.ReadAll(io.LimitReader(f, keep+1))
		s.Size, s.Raw = int64(len(content)), hexSum(content)
	} else {
		h := sha256.New()
		s.Size, err = io.Copy(h, f)
		s.Raw = hex.EncodeToString(h.Sum(nil))
	}
	if err != nil {
		return nil, err
	}
	if text, ok := normal(path, content); ok && st.Size <= keep && st.Mode&0o111 == 0 {
		if s.Text = s.Raw; !bytes.Equal(text, content) {
			s.Text = hexSum(text)
		}
	}
	if err := unix.Fstat(fd, &st); err != nil || stampOf(&st) != s.stamp || s.Size != st.Size {
		return nil, errMoving
	}
	return content, nil
}
