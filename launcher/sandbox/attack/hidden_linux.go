//go:build amd64 || arm64

package attack

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// hidden are attacks on what can be learned of something hidden without reading it.
var hidden = []Attack{
	{Name: "list it from its folder", try: func(w World) error {
		dir, err := unix.Open(filepath.Dir(w.Hidden), unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			return err
		}
		fd, err := unix.Openat(dir, filepath.Base(w.Hidden), unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return list(fd)
	}},
	{Name: "list it by a handle", try: func(w World) error {
		fd, err := unix.Open(w.Hidden, unix.O_PATH, 0)
		if err != nil {
			return err
		}
		if fd, err = unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0); err != nil {
			return err
		}
		return list(fd)
	}},
	{Name: "list it as the working directory", try: func(w World) error {
		if err := os.Chdir(w.Hidden); err != nil {
			return err
		}
		_, err := os.ReadDir(".")
		return err
	}},
	{Name: "list it by a link", try: func(w World) error {
		if err := os.Symlink(w.Hidden, w.Workspace+"/list"); err != nil {
			return err
		}
		_, err := os.ReadDir(w.Workspace + "/list")
		return err
	}},
	{Name: "its folder's name swapped while it is listed", try: listRace},
	{Name: "watch a hidden file", try: func(w World) error { return watch(w.Secret, 0) }},
	{Name: "watch a hidden folder", try: func(w World) error { return watch(w.Hidden, 0) }},
	{Name: "watch a secret of the workspace",
		try: func(w World) error { return watch(w.secretFile(), unix.IN_DONT_FOLLOW) }},
	{Name: "watch it by a link", try: func(w World) error {
		if err := os.Symlink(w.Secret, w.Workspace+"/watch"); err != nil {
			return err
		}
		return watch(w.Workspace+"/watch", 0)
	}},
	{Name: "watch it by a handle", try: func(w World) error {
		fd, err := unix.Open(w.Secret, unix.O_PATH, 0)
		if err != nil {
			return err
		}
		return errors.Join(watch(descriptorName(fd), 0),
			watch("/dev/fd/"+strconv.Itoa(fd), 0))
	}},
	{Name: "watch it in the working directory", try: func(w World) error {
		if err := os.Chdir(w.Hidden); err != nil {
			return err
		}
		return watch("key", 0)
	}},
	{Name: "watch it from the root of a process", try: func(w World) error {
		return watch("/proc/self/root"+w.Secret, 0)
	}},
	{Name: "its name swapped while it is watched", try: watchRace},
	{Name: "size of a hidden file", Lost: sandbox.HiddenList, try: func(w World) error {
		st, err := os.Stat(w.Secret)
		if err == nil && st.Size() != int64(len("secret")) {
			err = errors.New("another file")
		}
		return err
	}},
	{Name: "where a link in a hidden folder leads", Lost: sandbox.HiddenList,
		try: func(w World) error { _, err := os.Readlink(w.Hidden + "/link"); return err }},
}

func list(fd int) error {
	n, err := unix.Getdents(fd, make([]byte, 1024))
	if err == nil && n == 0 {
		err = errors.New("nothing is in it")
	}
	return err
}

// watch watches a file as chatty as what it is about: a file that strong puts in its place stays
// silent, and is not the one.
func watch(name string, mask uint32) error {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if _, err = unix.InotifyAddWatch(fd, name, mask|unix.IN_ALL_EVENTS); err != nil {
		return err
	}
	var st unix.Stat_t
	if err = unix.Stat(name, &st); err == nil && (st.Size == 0 || st.Mode&0o400 == 0) {
		err = errors.New("another file")
	}
	return err
}

// listRace opens a folder whose name another thread changes, from an own one's to the hidden one's.
func listRace(w World) error {
	own := filepath.Dir(w.Hidden) + "/nothin"
	b := append([]byte(w.Hidden), 0)
	text := make([]byte, 1024)
	if flipped(b[len(b)-7:], []byte(filepath.Base(own)), []byte("hidden"), func() bool {
		fd, err := openBytes(b, unix.O_RDONLY|unix.O_DIRECTORY)
		if err != nil {
			return false
		}
		defer unix.Close(fd)
		n, err := unix.Getdents(fd, text)
		return err == nil && n > 0
	}) {
		return nil
	}
	return errors.New("it was never listed")
}

// watchRace watches a name that another thread changes, from an own file's to the secret's. The
// same file watched again is the same number.
func watchRace(w World) error {
	if err := os.WriteFile(w.Workspace+"/.own", []byte("own"), 0o600); err != nil {
		return err
	}
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK)
	if err != nil {
		return err
	}
	own, err := unix.InotifyAddWatch(fd, w.Workspace+"/.own", unix.IN_ALL_EVENTS)
	if err != nil {
		return err
	}
	b := append([]byte(w.Workspace+"/.own"), 0)
	if flipped(b[len(b)-4:], []byte("own"), []byte("env"), func() bool {
		n, err := object(unix.SYS_INOTIFY_ADD_WATCH, uintptr(fd), uintptr(unsafe.Pointer(&b[0])),
			unix.IN_ALL_EVENTS)
		return err == nil && n != own
	}) {
		return nil
	}
	return errors.New("it was never watched")
}
