package undo

import (
	"io/fs"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// TestClosed: what a run does to files and folders whose mode forbids it to their owner, who may
// change the mode, is kept and taken back; and the mode is as it was.
func TestClosed(t *testing.T) {
	for name, change := range map[string]func(h *hand, at func(string) string){
		"a file that cannot be read is written": func(h *hand, at func(string) string) {
			h.rewrite(at("secret"), "other", unix.O_TRUNC, 0)
		},
		"a long file that cannot be read is written": func(h *hand, at func(string) string) {
			h.truncate(at("long"), 3)
		},
		"a file that cannot be read is opened to all": func(h *hand, at func(string) string) {
			h.chmod(at("secret"), 0o666)
			h.setxattr(at("secret"), "other")
			h.rewrite(at("secret"), "other", 0, 2)
		},
		"a file loses all rights": func(h *hand, at func(string) string) {
			h.rewrite(at("d/e/f"), "other", 0, 2)
			h.chmod(at("d/e/f"), 0)
		},
		"a folder is opened, changed and closed": func(h *hand, at func(string) string) {
			h.chmod(at("closed"), 0o700)
			h.remove(at("closed/f"), 0)
			h.create(at("closed/new"), "new", 0)
			h.chmod(at("closed"), 0o555)
		},
		"a folder is opened and changed": func(h *hand, at func(string) string) {
			h.chmod(at("dark"), 0o700)
			h.rewrite(at("dark/f"), "other", 0, 2)
			h.create(at("dark/new"), "new", 0)
		},
		"a folder is changed and closed": func(h *hand, at func(string) string) {
			h.remove(at("d/e/f"), 0)
			h.rewrite(at("d/e/g"), "other", 0, 0)
			h.mkdir(at("d/e/new"))
			h.chmod(at("d/e"), 0)
			h.chmod(at("d"), 0)
		},
		"a closed folder gets another parent": func(h *hand, at func(string) string) {
			h.chmod(at("closed"), 0o755)
			h.rename(at("closed"), at("d/closed"), 0)
			h.chmod(at("d/closed"), 0o555)
		},
		"closed folders are removed": func(h *hand, at func(string) string) {
			for _, dir := range []string{"closed", "dark"} {
				h.chmod(at(dir), 0o700)
				h.removeAll(at(dir))
			}
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			w := newWorld(t, t.TempDir())
			w.closedTree()
			before := w.digest()
			nextTick()
			s := w.run("run", func(h *hand) { change(h, w.path) })
			after := w.digest()
			if len(s.Lacks) > 0 || before == after {
				t.Fatalf("lacks %v, changed %v", s.Lacks, before != after)
			}
			for _, step := range []struct{ run, want string }{
				{"run", before}, {"undo", after}, {"undoundo", before},
			} {
				plan, err := w.store.Plan(Take{Runs: []string{step.run}})
				must(t, err)
				for _, p := range plan {
					if p.Do == Refuse {
						t.Errorf("the plan refuses %+v", p)
					}
				}
				r := w.undo("undo"+strings.TrimPrefix(step.run, "run"), step.run)
				if now := w.digest(); now != step.want || r.Refused > 0 {
					t.Fatalf("%s: %s%v", step.run, difference(step.want, now), r.Steps)
				}
				if len(plan) == 0 {
					t.Errorf("%s: the plan says that nothing is to do", step.run)
				}
			}
			must(t, removeAll(w.store.dir))
		})
	}
}

// closedTree has files and folders that forbid something to their owner.
func (w *world) closedTree() {
	for _, dir := range []string{"d", "d/e", "closed", "dark"} {
		must(w.t, unix.Mkdir(w.path(dir), 0o755))
	}
	for _, name := range []string{"secret", "d/e/f", "d/e/g", "closed/f", "closed/g", "dark/f"} {
		w.write(name, "text of "+name)
	}
	w.write("long", strings.Repeat("text", short))
	must(w.t, unix.Setxattr(w.path("secret"), "user.test", []byte("value"), 0))
	for name, mode := range map[string]fs.FileMode{
		"secret": 0o200, "long": 0o200, "closed": 0o555, "dark": 0,
	} {
		must(w.t, hermetic.Chmod(w.path(name), mode))
	}
}
