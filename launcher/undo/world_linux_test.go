package undo

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

var options = Options{Quota: 1 << 30, File: 1 << 20, Keep: 24 * time.Hour}

// world is a tree and a store beside it.
type world struct {
	t     testing.TB
	tree  string
	store *Store
}

func newWorld(t testing.TB, dir string) *world {
	t.Helper()
	return newWorldAt(t, filepath.Join(dir, "tree"), filepath.Join(dir, "store"))
}

func newWorldAt(t testing.TB, tree, dir string) *world {
	t.Helper()
	w := &world{t: t, tree: tree}
	t.Cleanup(func() { allow(t, filepath.Dir(tree)) }) // so that it can be removed
	if err := os.Mkdir(w.tree, 0o755); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	store, err := Open(dir, options)
	if err != nil {
		t.Fatal(err)
	}
	w.store = store
	return w
}

func (w *world) begin(run string, of ...string) *Journal {
	w.t.Helper()
	j, err := w.store.Begin(Start{Run: run, Trees: []string{w.tree}, Of: of})
	if err != nil {
		w.t.Fatal(err)
	}
	return j
}

func (w *world) end(j *Journal) Summary {
	w.t.Helper()
	s, err := j.Close(End{Walk: 10_000})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// undo takes runs back, all of it.
func (w *world) undo(id string, runs ...string) Result {
	w.t.Helper()
	r, err := w.store.Undo(Take{Runs: runs}, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *world) path(rel string) string { return filepath.Join(w.tree, rel) }

func (w *world) write(rel, text string) {
	w.t.Helper()
	if err := os.WriteFile(w.path(rel), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(rel string) string {
	b, err := os.ReadFile(w.path(rel))
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// digest has a line for each name: type, mode, owner, times, content, links and attributes.
func (w *world) digest() string {
	var b strings.Builder
	first := map[uint64]string{}
	modes, restore := allow(w.t, w.tree)
	defer restore()
	err := filepath.WalkDir(w.tree, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		s, err := look(unix.AT_FDCWD, path)
		if err != nil {
			return err
		}
		if mode, ok := modes[s.ID]; ok {
			s.Mode = mode
		}
		content := ""
		switch {
		case s.Regular():
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = fmt.Sprintf("%d %x", len(text), sha256.Sum256(text))
		case s.Link():
			content, _ = os.Readlink(path)
		}
		links := fmt.Sprint(s.Links)
		if !s.Folder() {
			if first[s.ID.Ino] == "" {
				first[s.ID.Ino] = path
			}
			links += " " + first[s.ID.Ino]
		}
		h, err := open(unix.AT_FDCWD, path, unix.O_PATH|unix.O_NOFOLLOW, 0)
		if err != nil {
			return err
		}
		defer unix.Close(h)
		list, err := attributes(h)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%q %o %d:%d %d %q %s %q\n", path, s.Mode, s.UID, s.GID, s.Modified,
			content, links, list)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return b.String()
}

// allow gives their owner the rights to see what is in a tree. It returns the modes from before,
// and what restores them.
func allow(t testing.TB, tree string) (modes map[ID]uint32, restore func()) {
	modes = map[ID]uint32{}
	var paths []string
	ids := map[string]ID{}
	set := func(path string, mode uint32) {
		if err := hermetic.Chmod(path, fs.FileMode(mode&0o777)); err != nil {
			t.Error(path, err)
		}
	}
	_ = filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
		s, _ := look(unix.AT_FDCWD, path)
		rights := uint32(0o400)
		if s.Folder() {
			rights = 0o700
		}
		if (s.Folder() || s.Regular()) && s.Mode&rights != rights && modes[s.ID] == 0 {
			modes[s.ID], ids[path] = s.Mode, s.ID
			paths = append(paths, path)
			set(path, s.Mode|rights)
		}
		return nil
	})
	return modes, func() {
		for _, path := range slices.Backward(paths) {
			set(path, modes[ids[path]])
		}
	}
}

// difference shows the lines that only one of two digests has.
func difference(before, after string) string {
	var b strings.Builder
	for _, side := range []struct{ sign, text, other string }{
		{"-", before, after}, {"+", after, before}} {
		for line := range strings.Lines(side.text) {
			if !strings.Contains(side.other, line) {
				b.WriteString(side.sign + line)
			}
		}
	}
	return b.String()
}

// in opens a folder of the tree, as a broker does; it is closed by the next call of a hand.
func folderOf(path string) (fd int, in, name string, err error) {
	in, name = filepath.Split(path)
	in = filepath.Clean(in)
	if fd, err = openFolder(unix.AT_FDCWD, in); err != nil {
		return fd, in, name, err
	}
	if err = unix.Faccessat(fd, ".", unix.X_OK, 0); err != nil { // the call knows no name in it
		unix.Close(fd)
	}
	return fd, in, name, err
}
