package undo

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestOtherMounts: where no link leads from the tree to the store, pre-images are beside the tree
// or, if it has no place either, copies; a repository gets none.
func TestOtherMounts(t *testing.T) { inNamespace(t, again(t, "mounts", t.TempDir())) }

func otherMounts(dir string) error {
	mount := filepath.Join(dir, "mount")
	if err := os.Mkdir(mount, 0o755); err != nil {
		return err
	}
	for _, where := range []string{"a/b/tree", "repository/tree", "."} {
		for seed := range uint64(15) {
			if err := mountDisk(mount, "mode=0755"); err != nil {
				return err
			}
			if err := otherMount(mount, where, seed); err != nil {
				return fmt.Errorf("tree at %s, seed %d: %w", where, seed, err)
			}
			if err := emptied(mount, dir); err != nil {
				return fmt.Errorf("tree at %s, seed %d: %w", where, seed, err)
			}
			if err := unmount(mount); err != nil {
				return err
			}
			os.RemoveAll(filepath.Join(dir, "store"))
		}
	}
	return nil
}

// emptied deletes what is kept, and reports the folder beside the tree if it is still there. A run
// that goes on keeps it, and one that changes nothing leaves none.
func emptied(mount, dir string) error {
	store, err := Open(filepath.Join(dir, "store"), options)
	if err != nil {
		return err
	}
	if _, err := store.GC(time.Now().Add(2*options.Keep), options.Keep); err != nil {
		return err
	}
	folder := filepath.Join(mount, besideFolder())
	if _, err := os.Lstat(folder); err == nil {
		list, _ := filepath.Glob(filepath.Join(folder, "*"))
		runs, _ := store.Runs()
		return fmt.Errorf("%q is there after gc, with %q; runs %+v", folder, list, runs)
	}
	tree := filepath.Join(mount, "a/b/tree")
	if _, err := os.Lstat(tree); err != nil {
		return nil
	}
	var runs []*Journal
	for _, name := range []string{"one", "two"} {
		j, err := store.Begin(Start{Run: name, Trees: []string{tree}})
		if err != nil {
			return err
		}
		runs = append(runs, j)
	}
	for n, want := range []bool{true, false} {
		if _, err := runs[n].Close(End{}); err != nil {
			return err
		}
		if _, err := os.Lstat(folder); (err == nil) != want {
			return fmt.Errorf("after %d runs that changed nothing: %v", n+1, err)
		}
	}
	return nil
}

func otherMount(mount, where string, seed uint64) error {
	for _, d := range []string{"a/b", "repository/.git"} {
		if err := os.MkdirAll(filepath.Join(mount, d), 0o755); where != "." && err != nil {
			return err
		}
	}
	store := filepath.Join(filepath.Dir(mount), "store")
	w := newWorldAt(inChild{}, filepath.Join(mount, where), store)
	r := rand.New(rand.NewPCG(seed, 1))
	w.furnish(r)
	before := w.digest()
	nextTick()
	j := w.begin("run")
	want := map[string]int{"a/b/tree": 2, "repository/tree": 2, ".": 1}[where]
	folders := j.Folders()
	if len(folders) != want || want == 2 && filepath.Dir(folders[1]) != mount {
		return fmt.Errorf("the folders are %q", folders)
	}
	h := &hand{j: j}
	for range 50 {
		h.random(r, w.tree)
	}
	if h.err != nil {
		return h.err
	}
	s := w.end(j)
	after := w.digest()
	for n, state := range []string{before, after, before} {
		of := []string{"run", "undo0", "undo1"}[n]
		result := w.undo(fmt.Sprint("undo", n), of)
		if where == "." && result.Refused > 0 {
			return nil // folders that change places need a place in between, and it says so
		}
		if now := w.digest(); now != state || result.Refused > 0 {
			return fmt.Errorf("undo %d:\n%s%v\n%+v\n%s", n, difference(state, now), result.Steps, s,
				strings.Join(h.log, "\n"))
		}
	}
	return nil
}
