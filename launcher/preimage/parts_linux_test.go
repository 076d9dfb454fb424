package preimage

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
)

// Changes belong to the command that runs, inside of others too, and are the session's otherwise.
func TestPartsOfCommands(t *testing.T) {
	h, dir := history(t)
	p := &sandbox.Profile{Write: []sandbox.Path{{Name: dir}}}
	time.Sleep(20 * time.Millisecond) // a tick of the file system's clock
	k, err := h.Keep(p, "session", dir, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	change := func(name string) {
		t.Helper()
		if err := k.Make(handleOf(t, dir), dir, name); err != nil {
			t.Fatal(err)
		}
		newFile(t, filepath.Join(dir, name))
	}
	change("new first")
	k.Begins("one", nil)
	change("new a")
	k.Begins("two", nil)
	change("new b")
	change("new c")
	two := k.Ends("two")
	change("new d")
	one, none := k.Ends("one"), k.Ends("one")
	change("new last")
	whole := k.Close(sandbox.Receipt{})
	if two.Changes.Added != 2 || one.Changes.Added != 2 || none.Changes != nil ||
		whole.Changes.Added != 6 || whole.Reversible != true {
		t.Errorf("%v; %v; %v; %v %+v", one, two, none, whole, whole.Lacks)
	}
	kept, err := h.KeptRuns()
	names := ""
	for _, r := range kept {
		names += r.Run + " "
	}
	if names != "session one two one.2 session.2 " || err != nil {
		t.Errorf("%q, %v", names, err)
	}
	if id, err := h.KeptRun("on"); id != "one" || err != nil {
		t.Error(id, err)
	}
	if parts, err := h.Parts("one"); len(RunsOf(parts)) != 1 || err != nil {
		t.Error(parts, err)
	}
}

// A line that names a file of the workspace, in all of which it may write, is searched as any.
func TestNamedFileIsSearched(t *testing.T) {
	h, dir := history(t)
	file := sandbox.Path{Name: filepath.Join(dir, "f")}
	newFile(t, file.Name)
	for _, test := range []struct {
		write  []sandbox.Path
		single bool
	}{
		{[]sandbox.Path{file, {Name: dir}}, false},
		{[]sandbox.Path{file}, true},
	} {
		k, err := h.Keep(&sandbox.Profile{Write: test.write}, "run", dir, nil, false)
		if err != nil || k.single != test.single || len(k.trees) != 1 || k.trees[0] != dir {
			t.Errorf("%v: %v %v, %v", test.write, k.single, k.trees, err)
		}
		k.Discard()
	}
}

// history is an empty history, and a folder in which runs change files.
func history(t *testing.T) (h *History, folder string) {
	t.Helper()
	home, err := state.OpenHome(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	dir := home.Use()
	r := record.Of(dir)
	approvals, err := permit.Open(dir, r)
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	policy := pathguard.Default(pathguard.Account{Home: folder, UID: os.Getuid()})
	return Of(dir, past.Of(r, dir, approvals),
		func() pathguard.Undo { return policy.UndoOf(folder) },
		func(dir string) (string, error) { return dir, nil }), folder
}

func handleOf(t *testing.T, dir string) int {
	t.Helper()
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return int(f.Fd())
}

func newFile(t *testing.T, name string) {
	t.Helper()
	if err := os.WriteFile(name, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
}
