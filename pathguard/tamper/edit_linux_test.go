package tamper

import (
	"errors"
	"os"
	"testing"
)

// TestEdit: what a person edited is written, and is the baseline, exactly when the file is still
// the one that was copied, whatever the baseline was; else nothing is touched.
func TestEdit(t *testing.T) {
	there := map[string]func(w *world, path string){
		"nothing": func(*world, string) {},
		"as it was left": func(w *world,
			path string) {
			must(t, w.Save(me, path, path, []byte("left\n"), 0o644))
		},
		"changed outside": func(w *world, path string) {
			must(t, w.Save(me, path, path, []byte("x\n"), 0o644))
			w.write("c", "left\n")
		},
		"made outside": func(w *world, _ string) { w.write("c", "left\n") },
		"other":        func(w *world, _ string) { w.write("c", "theirs\n") },
		"empty":        func(w *world, _ string) { w.write("c", "") },
		"a link": func(w *world,
			path string) {
			w.write("real", "left\n")
			must(t, os.Symlink(w.path("real"), path))
		},
		"a directory": func(_ *world, path string) { must(t, os.Mkdir(path, 0o755)) },
		"deleted": func(w *world, path string) {
			must(t, w.Save(me, path, path, []byte("left\n"), 0o644))
			must(t, os.Remove(path))
		},
	}
	fits := map[string]string{"nothing": "none", "deleted": "none", "as it was left": "left\n",
		"changed outside": "left\n", "made outside": "left\n", "empty": ""}
	for name, make := range there {
		for _, was := range []string{"none", "left\n", ""} {
			w := newWorld(t, "c")
			path := w.path("c")
			make(w, path)
			var began []byte
			if was != "none" {
				began = append([]byte{}, was...)
			}
			before, _ := look(path, MaxShadow)
			err := w.Edit(me, path, began, []byte("edited\n"), 0o640)
			if want, ok := fits[name]; ok && want == was {
				info, _ := os.Stat(path)
				if err != nil || w.read("c") != "edited\n" || info.Mode().Perm() != 0o640 {
					t.Errorf("%s, began with %q: %v", name, was, err)
				}
				w.want("")
				continue
			}
			if after, _ := look(path, MaxShadow); !errors.Is(err, ErrChangedSince) ||
				differs(before, after) != "" {
				t.Errorf("%s, began with %q: %v, and the file is %v", name, was, err, after)
			}
		}
	}
	w := newWorld(t, "c")
	must(t, w.Save(me, w.path("c"), w.path("c"), []byte("left\n"), 0o600))
	if text, kept, err := w.Baseline(w.path("c")); err != nil || !kept || string(text) != "left\n" {
		t.Errorf("baseline %q, %v, %v", text, kept, err)
	}
	w.write("c", "by hand\n")
	must(t, w.Edit(me, w.path("c"), []byte("by hand\n"), []byte("further\n"), 0o600))
	if got := w.actions(); got != "WRITE FORCE_ACCEPT WRITE" {
		// the version that was made by hand is archived
		t.Errorf("told %q", got)
	}
}
