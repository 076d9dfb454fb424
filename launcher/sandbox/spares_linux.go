//go:build amd64 || arm64

package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker"
)

// How many new files and folders beside something hidden are given all rights in one run.
const (
	spareFiles   = 64
	spareFolders = 24
)

// spares makes what new entries beside something hidden are made of, and grants all rights on it.
// On a file system that has no nameless files, or where no folder can be made, there are fewer:
// then what is made there can be read and written, and not executed.
func (b *builder) spares() error {
	g := b.mediated().Guard
	if g == nil || len(g.Hide) == 0 {
		return nil
	}
	s, all := &broker.Spares{}, around{rights: fsRead | fsExec | fsWrite, ruled: g.Ruled}
	g.Spares = s
	tree := g.Trees[0]
	s.Mount = mountOf(tree)
	for range spareFiles {
		fd, err := spareFile(tree)
		if err != nil {
			break
		}
		s.Files = append(s.Files, fd)
		if err := b.files.spare(fd, all, fsOfFile); err != nil {
			return err
		}
	}
	s.Place = b.sparePlace(tree, s.Mount)
	for ; s.Place != "" && s.Folders < spareFolders; s.Folders++ {
		name := filepath.Join(s.Place, strconv.Itoa(s.Folders))
		if os.Mkdir(name, 0o700) != nil {
			break
		}
		fd, err := unix.Open(name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			break
		}
		err = b.files.spare(fd, all, ^uint64(0))
		unix.Close(fd)
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *ruleset) spare(fd int, a around, kind uint64) error {
	a.note(fd)
	return r.addRule(fd, a.rights&kind)
}

// sparePlace makes the folder for spare folders, on the mount of the tree: with the state if that
// is there, in git's metadata, or in the tree. The run may do with it what it likes.
func (b *builder) sparePlace(tree string, mount uint64) string {
	places := []string{filepath.Join(tree, ".git"), tree}
	if v := b.profile.View; v != nil && v.Ledger != "" {
		places = append([]string{filepath.Dir(v.Ledger)}, places...)
	}
	for _, place := range places {
		if mountOf(place) != mount {
			continue
		}
		left, _ := filepath.Glob(filepath.Join(place, sparePrefix+"*"))
		for _, name := range left {
			removeLeft(name)
		}
		if name, err := os.MkdirTemp(place, sparePrefix); err == nil {
			return name
		}
	}
	return ""
}

const sparePrefix = ".tada-run-spare-"

// removeLeft removes the empty folders that a launcher has left which was killed.
func removeLeft(name string) {
	st, err := os.Lstat(name)
	if err != nil || time.Since(st.ModTime()) < 24*time.Hour {
		return
	}
	for i := range spareFolders {
		_ = unix.Rmdir(filepath.Join(name, strconv.Itoa(i)))
	}
	_ = unix.Rmdir(name)
}

// mountOf is the number of the mount that a name is on, or 0.
func mountOf(name string) uint64 {
	var st unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, name, 0, unix.STATX_MNT_ID, &st) != nil {
		return 0
	}
	return st.Mnt_id
}

// spareFile makes a file without a name in a directory, and returns a handle: as long as it is open
// for writing anywhere, it cannot be executed.
func spareFile(dir string) (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return -1, err
	}
	defer unix.Close(fd)
	return unix.Open("/proc/self/fd/"+itoa(fd), unix.O_PATH|unix.O_CLOEXEC, 0)
}
