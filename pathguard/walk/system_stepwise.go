//go:build darwin || stepwise

package walk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/pathname"
)

// Here the kernel is asked for the name of each file that was opened on the way: it knows the
// spelling on the disk, and the one path of a directory that has several. Only files, directories
// and links are opened; a device could act and a FIFO could wait.

var errUnnamed = errors.New(WhyUnnamed)

// openParent opens the directory above one.
func openParent(at Dir, _ string) (Dir, error) {
	fd, err := unix.Openat(at.FD, "..", forNothing|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return Dir{}, err
	}
	path, err := pathOf(fd)
	if err != nil {
		unix.Close(fd)
	}
	return Dir{fd, path}, err
}

// openItself opens a name in a directory, and of a link the link itself. What is not opened has -1.
func openItself(at Dir, name string, st *unix.Stat_t) (Dir, error) {
	if err := unix.Fstatat(at.FD, name, st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return Dir{}, err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG, unix.S_IFDIR, unix.S_IFLNK:
	default:
		path, err := spelled(at, name, st)
		return Dir{-1, path}, err
	}
	fd, err := unix.Openat(at.FD, name, theLink|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return Dir{}, errUnnamed
	}
	path, err := named(at, name, fd, st)
	if err != nil {
		unix.Close(fd)
	}
	return Dir{fd, path}, err
}

// named is the path of a file that was just opened under a name, and had that status before.
func named(at Dir, name string, fd int, was *unix.Stat_t) (string, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return "", err
	}
	if IDOf(&st) != IDOf(was) || st.Mode&unix.S_IFMT != was.Mode&unix.S_IFMT {
		return "", errUnnamed // it was replaced in between
	}
	full, err := pathOf(fd)
	if err != nil {
		return "", err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR && full != pathname.Join(at.Path, name) {
		return spelled(at, name, &st) // the kernel may have another of its names
	}
	return full, nil
}

// spelled is the path of a name in a directory as the directory has it.
func spelled(at Dir, name string, st *unix.Stat_t) (string, error) {
	list, err := namesIn(at.FD)
	if err != nil {
		return "", errUnnamed
	}
	if slices.Contains(list, name) {
		return pathname.Join(at.Path, name), nil
	}
	found := ""
	for _, other := range list {
		var its unix.Stat_t
		if !strings.EqualFold(other, name) ||
			unix.Fstatat(at.FD, other, &its, unix.AT_SYMLINK_NOFOLLOW) != nil ||
			IDOf(&its) != IDOf(st) {
			continue
		}
		if found != "" {
			return "", errUnnamed
		}
		found = other
	}
	if found == "" {
		return "", errUnnamed
	}
	return pathname.Join(at.Path, found), nil
}

// listed opens a directory that is open for nothing, to list it.
func listed(fd int) (*os.File, error) {
	in, err := unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(in), "directory"), nil
}

func namesIn(fd int) ([]string, error) {
	f, err := listed(fd)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// pathOf is the path of an open directory or file, as the tables of names have it.
func pathOf(fd int) (string, error) {
	full, err := kernelName(fd)
	if err != nil || !path.IsAbs(full) || strings.HasPrefix(full, secondRoot) {
		return "", errUnnamed
	}
	return public(full), nil
}

// secondRoot is where macOS shows the directories of its data volume under a second name. The
// kernel is expected to have the first one.
const secondRoot = "/System/Volumes/"

// public is a path without the /private of macOS: /etc, /tmp and /var are links to there.
func public(full string) string {
	rest, in := strings.CutPrefix(full, "/private")
	if in && pathname.WithinAny(rest, privates) {
		return rest
	}
	return full
}

var privates = []string{"/etc", "/tmp", "/var"}

// readLink reads a link that is a name in a directory.
func readLink(_, at Dir, name string) (string, error) {
	var buf [PathMax]byte
	n, err := unix.Readlinkat(at.FD, name, buf[:])
	if err != nil {
		return "", err
	}
	if n == 0 {
		return "", unix.ENOENT
	}
	return string(buf[:n]), nil
}

// whyMissing is why nothing is at the end of a way.
func whyMissing(why string) string {
	if caseless && why != WhyUnnamed && !strings.HasPrefix(why, "too many") {
		return WhyCaseless
	}
	return why
}

// isThere knows nothing in one call: the name has to be walked.
func isThere(int, string) error { return unix.ELOOP }

// openPlain opens a directory below another for nothing, on whose way there must be no link.
func openPlain(root int, name string, _ int) (int, error) {
	fd, err := unix.Openat(root, name, forNothing|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	if full, err := pathOf(fd); err != nil || full != path.Join("/", name) {
		unix.Close(fd)
		return -1, unix.ELOOP
	}
	return fd, nil
}

// OpenIn opens a name in a directory for nothing. It must not be a link.
func OpenIn(dir int, name string, flags int) (int, error) {
	return unix.Openat(dir, name, forNothing|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC|flags,
		0)
}

// Reopen opens for reading the very file that a descriptor holds.
func Reopen(held int) (int, error) {
	full, err := kernelName(held)
	if err != nil {
		return -1, err
	}
	fd, err := unix.Open(full,
		unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return -1, err
	}
	var was, is unix.Stat_t
	if unix.Fstat(held, &was) != nil || unix.Fstat(fd, &is) != nil || IDOf(&was) != IDOf(&is) {
		unix.Close(fd)
		return -1, errUnnamed
	}
	return fd, nil
}

// readEntries lists an open directory.
func readEntries(fd int, _ []byte) (list []entry, err error) {
	f, err := listed(fd)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := f.ReadDir(MaxListed)
	for _, e := range all {
		var st unix.Stat_t
		if unix.Fstatat(fd, e.Name(), &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
			list = append(list, entry{e.Name(), kindOf(e.Type()), st.Ino})
		}
	}
	if err == io.EOF {
		err = nil
	}
	return list, err
}

func kindOf(mode fs.FileMode) uint8 {
	switch {
	case mode.IsRegular():
		return unix.DT_REG
	case mode.IsDir():
		return unix.DT_DIR
	case mode&fs.ModeSymlink != 0:
		return unix.DT_LNK
	}
	return unix.DT_FIFO // or another that nothing is asked about
}
