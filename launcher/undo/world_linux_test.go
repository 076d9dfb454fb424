package undo

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
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
	err := filepath.WalkDir(w.tree, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		s, err := look(unix.AT_FDCWD, path)
		if err != nil {
			return err
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
	fd, err = openFolder(unix.AT_FDCWD, in)
	return fd, in, name, err
}
