package setup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// stand is a launcher and a file that setup has written.
func stand(t *testing.T) (l Files, file string, kept func() File) {
	t.Helper()
	l, dir := files(t)
	file = filepath.Join(dir, "made", "agent.json")
	if err := l.SetUp("codex", file, nil, []byte("a\nours\n"), oneLine(nil)); err != nil {
		t.Fatal(err)
	}
	return l, file, func() File {
		all, err := l.Kept()
		if err != nil || len(all) != 1 || all[0].Path != file {
			t.Fatalf("%v, %v", all, err)
		}
		return all[0]
	}
}

// accept is what a person does about a change from outside.
func accept(t *testing.T, l Files, path string) {
	t.Helper()
	who, store := l.Who, l.Own
	_, err := store.Show(who, path)
	if err == nil {
		_, err = store.Accept(who, path, "", "mine")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A second setup keeps what was there before the first; what was there is kept for the account
// alone, and only as long as it is needed.
func TestSetUpTwice(t *testing.T) {
	l, file, kept := stand(t)
	text := []byte("a\nb\nours\n")
	if err := l.SetUp("codex", file, []byte("a\nours\n"), text, oneLine(nil)); err != nil {
		t.Fatal(err)
	}
	if err := l.SetUp("codex", file, nil, text, oneLine(nil)); err != nil {
		t.Errorf("two at the same time: %v", err)
	}
	f := kept()
	if f.Before != nil || len(f.Wrote) != 2 || !slices.Equal(f.Made, []string{filepath.Dir(file)}) {
		t.Errorf("%+v", f)
	}
	if info, err := os.Stat(l.keptPath(file)); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := l.TakeBack(f, oneLine(nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(file)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is left: %v", err)
	}
	if left, err := l.Kept(); len(left) > 0 || err != nil {
		t.Errorf("%v, %v", left, err)
	}
}

// Only what was shown is written: a file that was changed meanwhile stays, and so does what is
// known of it.
func TestSetUpOfWhatWasNotShown(t *testing.T) {
	l, file, kept := stand(t)
	was := kept()
	for _, shown := range [][]byte{nil, {}, []byte("b\n")} {
		err := l.SetUp("codex", file, shown, []byte("x\nours\n"), oneLine(nil))
		if !errors.Is(err, ErrChanged) {
			t.Errorf("%q: %v", shown, err)
		}
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "a\nours\n" {
		t.Errorf("%q, %v", b, err)
	}
	if is := kept(); !slices.Equal(is.Wrote, was.Wrote) {
		t.Errorf("%v", is.Wrote)
	}
	other := filepath.Join(filepath.Dir(file), "other.json")
	if err := l.SetUp("codex", other, []byte("b"), []byte("ours\n"), oneLine(nil)); err == nil {
		t.Error("no error")
	}
	kept() // nothing of the other one
}

// What a person changed is not overwritten, neither with something of tada-run in it nor without;
// and a setup after it goes back to what the person has made of it.
func TestSetUpOfWhatAPersonChanged(t *testing.T) {
	l, file, kept := stand(t)
	write := func(text string, mode os.FileMode) {
		t.Helper()
		if err := errors.Join(os.WriteFile(file, []byte(text), 0o600),
			hermetic.Chmod(file, mode)); err != nil {
			t.Fatal(err)
		}
	}
	back := func() error { return l.TakeBack(kept(), oneLine(nil)) }
	write("mine\nours\n", 0o600)
	if err := back(); !errors.Is(err, ErrChanged) {
		t.Errorf("not looked at: %v", err)
	}
	accept(t, l, file)
	if err := back(); !errors.Is(err, ErrChanged) {
		t.Errorf("accepted: %v", err)
	}
	if err := l.SetUp("codex", file, []byte("mine\nours\n"), []byte("mine\nours\nours\n"),
		oneLine(nil)); err != nil {
		t.Fatal(err)
	}
	if err := back(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "mine\n" {
		t.Errorf("%q, %v", b, err)
	}
	if err := l.SetUp("codex", file, []byte("mine\n"), []byte("mine\nours\n"),
		oneLine(nil)); err != nil {
		t.Fatal(err)
	}
	write("mine\nours\n", 0o640) // which protects it no less
	if err := back(); !errors.Is(err, ErrChanged) {
		t.Errorf("another mode: %v", err)
	}
	write("nothing\n", 0o640)
	accept(t, l, file)
	if err := back(); err != nil {
		t.Errorf("nothing of tada-run: %v", err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "nothing\n" {
		t.Errorf("%q, %v", b, err)
	}
	if protected, _, err := l.Protected(file); protected || err != nil {
		t.Errorf("it is protected: %v", err)
	}
}

// What is kept is refused when it is damaged, or about another file, and named.
func TestSetUpKeptIsDamaged(t *testing.T) {
	l, file, kept := stand(t)
	kept()
	name := l.keptPath(file)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "{", "[]", "null", `{"path":"/etc/passwd"}`,
		string(text[:len(text)/2]), strings.Replace(string(text), "agent.json", "other.json", 1)} {
		if err := os.WriteFile(name, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Kept(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%.20q: %v", bad, err)
		}
		if err := l.SetUp("codex", file, []byte("a\nours\n"), []byte("ours\n"),
			oneLine(nil)); err == nil {
			t.Errorf("%.20q: no error", bad)
		}
	}
	if err := errors.Join(os.WriteFile(name, text, 0o600), os.WriteFile(name+".123", nil, 0o600),
		os.Mkdir(filepath.Join(l.State.SetUp(), "x"), 0o700)); err != nil {
		t.Fatal(err)
	}
	kept() // what a killed process has left is no part of it
}

// What a killed process has left beside a file is removed; what others have there is not.
func TestSetUpSweeps(t *testing.T) {
	l, file, kept := stand(t)
	dir := filepath.Dir(file)
	left, others := ".tada-123", []string{".tada-x", "tada-1", ".tada-12.json"}
	for _, name := range append(others, left) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".tada-9"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := l.TakeBack(kept(), oneLine(nil)); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(others)+1 {
		t.Errorf("%v, %v", entries, err)
	}
}
