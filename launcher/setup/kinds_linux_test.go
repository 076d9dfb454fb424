package setup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// C9: what is no regular file, or behind a path that leads nowhere, is refused by its name, and
// never waited for.
func TestSettingsThatAreNoFile(t *testing.T) {
	l, _ := files(t)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(unix.Mkfifo(at("fifo"), 0o600), os.Mkdir(at("folder"), 0o700),
		os.Symlink(at("loop"), at("loop")), os.WriteFile(at("file"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"fifo", "folder", "loop", "file/settings.json"} {
		_, err := Read(at(name))
		if err == nil {
			t.Errorf("%s was read", name)
		}
		_, err = l.Register(at(name), Registration{})
		if !errors.As(err, new(*NotWrittenError)) || !strings.Contains(err.Error(), at(name)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, err := Read(at("none")); text != nil || err != nil {
		t.Errorf("what is not there: %q, %v", text, err)
	}
	if text, err := Read(at("file")); text == nil || err != nil {
		t.Errorf("an empty file: %v, %v", text, err)
	}
}

// C9: folders that were made for two files go with the second of them, whichever that is.
func TestFoldersGoWithTheLast(t *testing.T) {
	for _, first := range []int{0, 1} {
		l, _ := files(t)
		top := filepath.Join(t.TempDir(), "top")
		paths := []string{filepath.Join(top, "a/x.json"), filepath.Join(top, "a/b/y.json")}
		one := Registration{
			Change: func(_, _ []byte) ([]byte, error) { return []byte("ours"), nil },
			Strip:  func(_, _ []byte) ([]byte, error) { return nil, nil },
			Holds:  func(text []byte) bool { return string(text) == "ours" },
		}
		for _, path := range append(paths, paths[0]) {
			if _, err := l.Register(path, one); err != nil {
				t.Fatal(err)
			}
		}
		none := one
		none.Change = one.Strip
		for _, path := range []string{paths[first], paths[1-first]} {
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
			if _, err := l.Register(path, none); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := os.Stat(top); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the folder is left when %s goes first", paths[first])
		}
	}
}
