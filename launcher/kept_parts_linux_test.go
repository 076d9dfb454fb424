package launcher

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/undo"
)

// What several parts change together is counted by what was there before the first and is there
// after the last.
func TestOverall(t *testing.T) {
	there := undo.State{Mode: 0o100644}
	var o overall
	o.add([]undo.Change{{Path: "made", After: there}, {Path: "gone", Before: there},
		{Path: "brief", After: there}, {Path: "old", Before: there, After: there}}, nil)
	o.add([]undo.Change{{Path: "made", Before: there, After: there},
		{Path: "brief", Before: there}, {Path: "new", From: "old", Before: there, After: there}},
		[]undo.Lack{{Path: "x", Why: "y"}, {Path: "x", Why: "y"}})
	s := o.summary()
	if s.Added != 1 || s.Changed != 1 || s.Removed != 1 || len(s.Lacks) != 1 ||
		s.Reversible != "partly" {
		t.Errorf("%+v", s)
	}
}

// Changes belong to the command that runs, inside of others too, and are the session's otherwise.
func TestPartsOfCommands(t *testing.T) {
	l, req := world(t)
	p := &sandbox.Profile{Write: []sandbox.Path{{Name: req.Dir}}}
	time.Sleep(20 * time.Millisecond) // a tick of the file system's clock
	k, err := l.keep(p, "session", req.Dir, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	change := func(name string) {
		t.Helper()
		if err := k.Make(handleOf(t, req.Dir), req.Dir, name); err != nil {
			t.Fatal(err)
		}
		newFile(t, filepath.Join(req.Dir, name))
	}
	change("new first")
	k.begins("one", nil)
	change("new a")
	k.begins("two", nil)
	change("new b")
	change("new c")
	two := k.ends("two")
	change("new d")
	one, none := k.ends("one"), k.ends("one")
	change("new last")
	whole := k.close(sandbox.Receipt{})
	if two.Changes.Added != 2 || one.Changes.Added != 2 || none.Changes != nil ||
		whole.Changes.Added != 6 || whole.Reversible != true {
		t.Errorf("%v; %v; %v; %v %+v", one, two, none, whole, whole.Lacks)
	}
	kept, err := l.keptRuns()
	names := ""
	for _, r := range kept {
		names += r.Run + " "
	}
	if names != "session one two one.2 session.2 " || err != nil {
		t.Errorf("%q, %v", names, err)
	}
	if id, err := l.KeptRun("on"); id != "one" || err != nil {
		t.Error(id, err)
	}
	if parts, err := l.Parts("one"); len(runsOfParts(parts)) != 1 || err != nil {
		t.Error(parts, err)
	}
}

// A line that names a file of the workspace, in all of which it may write, is searched as any.
func TestNamedFileIsSearched(t *testing.T) {
	l, req := world(t)
	file := sandbox.Path{Name: filepath.Join(req.Dir, "f")}
	newFile(t, file.Name)
	for _, test := range []struct {
		write  []sandbox.Path
		single bool
	}{
		{[]sandbox.Path{file, {Name: req.Dir}}, false},
		{[]sandbox.Path{file}, true},
	} {
		k, err := l.keep(&sandbox.Profile{Write: test.write}, "run", req.Dir, nil, false)
		if err != nil || k.single != test.single || len(k.trees) != 1 || k.trees[0] != req.Dir {
			t.Errorf("%v: %v %v, %v", test.write, k.single, k.trees, err)
		}
		k.discard()
	}
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
