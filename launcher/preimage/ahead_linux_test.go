package preimage

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/undo"
)

// aheadWorld is what there is before a run.
var aheadWorld = map[string]string{
	"gone": "gone\n", "written": "before\n", "longer": strings.Repeat("long ", 10_000),
	"replaced": "old\n", "moved": "moved\n", "stays": "stays\n", "tree/a": "a\n",
	"tree/deep/b": "b\n", "other": "other\n",
}

// What a line names is kept before its command starts, however it changes then: removed, written in
// place, replaced, moved. What it does not name is found at the end, and said.
func TestAhead(t *testing.T) {
	h, dir := history(t)
	for name, text := range aheadWorld {
		write(t, filepath.Join(dir, name), text)
	}
	time.Sleep(20 * time.Millisecond) // a tick of the file system's clock
	k, err := h.Keep(&sandbox.Profile{Write: []sandbox.Path{{Name: dir}}}, "run", dir, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	for name, goes := range map[string]bool{"gone": true, "written": false, "longer": false,
		"replaced": false, "moved": true, "to": false, "stays": false, "tree": true,
		"new/in": false, "nowhere": true} {
		k.Ahead(filepath.Join(dir, name), goes)
	}
	k.Ahead("/etc/hosts", false) // of no folder that the run may write in
	changeAhead(t, dir)
	whole := k.Close(sandbox.Receipt{})
	if whole.Reversible != "partly" || whole.Changes == nil {
		t.Errorf("%v %+v %+v", whole.Reversible, whole.Changes, whole.Lacks)
	}
	said := ""
	for _, l := range whole.Lacks {
		said += l.Path + ": " + l.Why + "\n"
	}
	for _, name := range []string{dir + "/other: ", "/etc/hosts: it is in no folder"} {
		if !strings.Contains(said, name) {
			t.Errorf("%q is not in %q", name, said)
		}
	}
	store, err := h.UndoStore()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Undo(undo.Take{Runs: []string{"run"}}, "undo"); err != nil {
		t.Fatal(err)
	}
	want := maps.Clone(aheadWorld)
	want["other"] = "changed\n"
	if got := textsBelow(t, dir); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

// changeAhead is the run.
func changeAhead(t *testing.T, dir string) {
	t.Helper()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("fresh"), "new\n")
	for _, err := range []error{
		os.Remove(at("gone")), os.RemoveAll(at("tree")), os.Rename(at("moved"), at("to")),
		os.Rename(at("fresh"), at("replaced")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	write(t, at("written"), "after\n")
	write(t, at("longer"), "short\n")
	write(t, at("other"), "changed\n")
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644) // in place
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func textsBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		texts[rel] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}
