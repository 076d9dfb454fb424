package undo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// run makes changes as a run with that name.
func (w *world) run(name string, change func(h *hand)) Summary {
	w.t.Helper()
	h := &hand{j: w.begin(name)}
	change(h)
	if h.err != nil {
		w.t.Fatal(h.err)
	}
	return w.end(h.j)
}

// later is what a person may do to a file after a run.
var later = map[string]func(path string) error{
	"writes": func(path string) error { return os.WriteFile(path, []byte("a person's"), 0o644) },
	"replaces": func(path string) error {
		if err := os.WriteFile(path+".new", []byte("a person's"), 0o644); err != nil {
			return err
		}
		return os.Rename(path+".new", path)
	},
	"changes the mode": func(path string) error { return hermetic.Chmod(path, 0o600) },
	"makes it a folder": func(path string) error {
		_ = os.Remove(path)
		return os.Mkdir(path, 0o700)
	},
	"makes it a link": func(path string) error {
		_ = os.Remove(path)
		return os.Symlink("x", path)
	},
	"forges the times": func(path string) error {
		s, err := look(unix.AT_FDCWD, path)
		if err != nil || s.Absent() {
			return os.WriteFile(path, []byte("a person's"), 0o644)
		}
		text := strings.Repeat("p", int(s.Size))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
		return unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{
			unix.NsecToTimespec(s.Accessed), unix.NsecToTimespec(s.Modified)}, 0)
	},
}

// kinds are what a run does to the file "f"; what is left is at the second name.
var kinds = map[string]struct {
	left   string
	change func(h *hand, path string)
}{
	"writes": {"f", func(h *hand, path string) {
		h.rewrite(path, "the run's", unix.O_TRUNC, 0)
	}},
	"truncates": {"f", func(h *hand, path string) { h.truncate(path, 3) }},
	"removes":   {"f", func(h *hand, path string) { h.remove(path, 0) }},
	"replaces": {"f", func(h *hand, path string) {
		h.create(path+".tmp", "the run's", 0)
		h.rename(path+".tmp", path, 0)
	}},
	"makes": {"new", func(h *hand, path string) {
		h.create(filepath.Join(filepath.Dir(path), "new"), "the run's", 0)
	}},
	"renames": {"new", func(h *hand, path string) {
		h.rename(path, filepath.Join(filepath.Dir(path), "new"), 0)
	}},
}

// TestConflicts: what a person changed after a run is not touched, each kind of change by each kind
// of run; everything else of the run is taken back.
func TestConflicts(t *testing.T) {
	for kind, run := range kinds {
		for how, edit := range later {
			t.Run(kind+", then a person "+how, func(t *testing.T) {
				w := newWorld(t, t.TempDir())
				w.write("f", "before")
				w.write("other", "before")
				w.run("run", func(h *hand) {
					run.change(h, w.path("f"))
					h.rewrite(w.path("other"), "the run's", unix.O_TRUNC, 0)
				})
				if err := edit(w.path(run.left)); err != nil {
					if kind == "removes" && how == "changes the mode" {
						return
					}
					t.Fatal(err)
				}
				at := func() string {
					var lines []string
					for line := range strings.Lines(w.digest()) {
						if strings.HasPrefix(line, fmt.Sprintf("%q", w.path(run.left))) {
							lines = append(lines, line)
						}
					}
					return strings.Join(lines, "")
				}
				person := at()
				plan, err := w.store.Plan(Take{Runs: []string{"run"}})
				if err != nil {
					t.Fatal(err)
				}
				result := w.undo("undo", "run")
				if now := at(); now != person || result.Refused == 0 {
					t.Errorf("was\n%sis\n%s%v", person, now, result.Steps)
				}
				if text := w.read("other"); text != "before" {
					t.Errorf("other: %q", text)
				}
				if fmt.Sprint(plan) != fmt.Sprint(result.Steps) {
					t.Errorf("plan: %v\ndone: %v", plan, result.Steps)
				}
			})
		}
	}
}

// TestKeepBoth: what was before is put beside a person's later change.
func TestKeepBoth(t *testing.T) {
	for _, kind := range []string{"writes", "removes", "replaces"} {
		w := newWorld(t, t.TempDir())
		w.write("f", "before")
		w.run("run", func(h *hand) { kinds[kind].change(h, w.path("f")) })
		w.write("f", "a person's")
		result, err := w.store.Undo(Take{Runs: []string{"run"}, KeepBoth: true}, "undo")
		if err != nil {
			t.Fatal(err)
		}
		if a, b := w.read("f"), w.read("f.before-run"); a != "a person's" || b != "before" {
			t.Errorf("%s: %q and %q: %v", kind, a, b, result.Steps)
		}
	}
}

// TestUndoOfOnePath: only what was asked for is taken back; both names of what was renamed.
func TestUndoOfOnePath(t *testing.T) {
	w := newWorld(t, t.TempDir())
	for _, name := range []string{"a", "b", "c"} {
		w.write(name, name+" before")
	}
	if err := os.MkdirAll(w.path("d/e"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.write("d/e/f", "deep")
	w.run("run", func(h *hand) {
		h.rewrite(w.path("a"), "new", unix.O_TRUNC, 0)
		h.rewrite(w.path("b"), "new", unix.O_TRUNC, 0)
		h.rename(w.path("c"), w.path("moved"), 0)
		h.removeAll(w.path("d"))
	})
	take := func(id string, paths ...string) {
		t.Helper()
		for n, p := range paths {
			paths[n] = w.path(p)
		}
		r, err := w.store.Undo(Take{Runs: []string{"run"}, Paths: paths}, id)
		if err != nil || r.Refused > 0 {
			t.Fatal(r, err)
		}
	}
	take("u1", "a")
	if a, b := w.read("a"), w.read("b"); a != "a before" || b != "new" {
		t.Errorf("%q, %q", a, b)
	}
	take("u2", "moved")
	if c := w.read("c"); c != "c before" {
		t.Errorf("%q", c)
	}
	if _, err := os.Lstat(w.path("moved")); err == nil {
		t.Error("the other name is there still")
	}
	take("u3", "d/e/f")
	if f, b := w.read("d/e/f"), w.read("b"); f != "deep" || b != "new" {
		t.Errorf("%q, %q", f, b)
	}
}

// TestUndoSince: a sequence of runs is taken back at once, and the redo of that too.
func TestUndoSince(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.write("a", "0")
	var states, runs []string
	for n := range 5 {
		states = append(states, w.digest())
		runs = append([]string{fmt.Sprint("run", n)}, runs...)
		nextTick()
		w.run(runs[0], func(h *hand) {
			h.rewrite(w.path("a"), fmt.Sprint(n), unix.O_TRUNC, 0)
			h.mkdir(w.path("d"))
			h.create(w.path(fmt.Sprint("d/", n)), "x", 0)
			if n == 3 {
				h.removeAll(w.path("d"))
			}
		})
	}
	after := w.digest()
	r := w.undo("undo", runs[:3]...)
	if now := w.digest(); now != states[2] || r.Refused > 0 {
		t.Errorf("%s%v", difference(states[2], now), r.Steps)
	}
	r = w.undo("redo", "undo")
	if now := w.digest(); now != after || r.Refused > 0 {
		t.Errorf("%s%v", difference(after, now), r.Steps)
	}
	r = w.undo("again", "redo")
	r = w.undo("all", runs[3:]...)
	if now := w.digest(); now != states[0] || r.Refused > 0 {
		t.Errorf("%s%v", difference(states[0], now), r.Steps)
	}
}

// TestUndoAfterRedo: a run whose undo was undone can be taken back by its own name.
func TestUndoAfterRedo(t *testing.T) {
	w := newWorld(t, t.TempDir())
	before := w.digest()
	w.run("run", func(h *hand) {
		h.mkdir(w.path("new"))
		h.create(w.path("new/y"), "y", 0)
	})
	w.undo("undo", "run")
	w.undo("redo", "undo")
	if r := w.undo("again", "run"); w.digest() != before || r.Refused > 0 {
		t.Errorf("%s%v", difference(before, w.digest()), r.Steps)
	}
}

// TestTwoRunsOnOneFile: of two runs at once, the first can be taken back when the second was, and
// not before.
func TestTwoRunsOnOneFile(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.write("f", "before")
	a, b := &hand{j: w.begin("a")}, &hand{j: w.begin("b")}
	a.rewrite(w.path("f"), "from a", unix.O_TRUNC, 0)
	w.end(a.j)
	b.rewrite(w.path("f"), "from b", unix.O_TRUNC, 0)
	w.end(b.j)
	if r := w.undo("no", "a"); r.Refused != 1 || w.read("f") != "from b" {
		t.Errorf("%q: %v", w.read("f"), r.Steps)
	}
	w.undo("ub", "b")
	if r := w.undo("ua", "a"); w.read("f") != "before" {
		t.Errorf("%q: %v", w.read("f"), r.Steps)
	}
	c, d := &hand{j: w.begin("c")}, &hand{j: w.begin("d")}
	c.remove(w.path("f"), 0)
	d.remove(w.path("f"), 0)
	c.create(w.path("f"), "from c", 0)
	w.end(c.j)
	w.end(d.j)
	if r := w.undo("uc", "c"); w.read("f") != "before" {
		t.Errorf("%q: %v", w.read("f"), r.Steps)
	}
}

// TestFolderSwappedForALink: an undo follows no link that was put in the place of a folder, and
// touches nothing outside of the tree.
func TestFolderSwappedForALink(t *testing.T) {
	for _, kind := range []string{"writes", "removes", "makes", "renames"} {
		w := newWorld(t, t.TempDir())
		outside := filepath.Join(filepath.Dir(w.tree), "outside")
		for _, dir := range []string{w.path("d"), outside} {
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		w.write("d/f", "before")
		w.run("run", func(h *hand) { kinds[kind].change(h, w.path("d/f")) })
		for _, name := range []string{"f", "new"} {
			if kind == "removes" && name == "f" {
				continue
			}
			// what is outside is as the run left it, but for its identity
			if err := os.WriteFile(filepath.Join(outside, name), []byte("x"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Rename(w.path("d"), w.path("away")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, w.path("d")); err != nil {
			t.Fatal(err)
		}
		there := &world{t: t, tree: outside}
		before := there.digest()
		r := w.undo("undo", "run")
		if now := there.digest(); now != before {
			t.Errorf("%s: outside:\n%s%v", kind, difference(before, now), r.Steps)
		}
	}
}

// TestMarkOfATree: the metadata of a tree itself is restored.
func TestMarkOfATree(t *testing.T) {
	w := newWorld(t, t.TempDir())
	before := w.digest()
	w.run("run", func(h *hand) {
		h.chmod(w.tree, 0o700)
		h.setxattr(w.tree, "value")
		h.touch(w.tree, 1e9)
	})
	after := w.digest()
	for n, want := range []string{before, after, before} {
		r := w.undo(fmt.Sprint("undo", n), []string{"run", "undo0", "undo1"}[n])
		if now := w.digest(); now != want || r.Refused > 0 {
			t.Errorf("%s%v", difference(want, now), r.Steps)
		}
	}
	run, err := w.store.Read("run")
	if err != nil {
		t.Fatal(err)
	}
	if c := run.Changes(); len(c) != 1 || c[0].Path != w.tree {
		t.Errorf("%+v", c)
	}
}
