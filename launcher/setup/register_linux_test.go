package setup

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// oneLine is a registration that is one line at the end of a file.
func oneLine(change func(was, before []byte) ([]byte, error)) Registration {
	const line = "ours\n"
	return Registration{
		Change: change,
		Strip: func(was, _ []byte) ([]byte, error) {
			if rest := bytes.ReplaceAll(was, []byte(line), nil); len(rest) > 0 {
				return rest, nil
			}
			return nil, nil
		},
		Holds: func(b []byte) bool { return bytes.Contains(b, []byte(line)) },
	}
}

func addMark(was, _ []byte) ([]byte, error) {
	if bytes.Contains(was, []byte("ours\n")) {
		return was, nil
	}
	return append(bytes.Clone(was), "ours\n"...), nil
}

func dropMark(was, _ []byte) ([]byte, error) {
	return bytes.ReplaceAll(was, []byte("ours\n"), nil), nil
}

// Another program writes the settings between our look at them and our own write: neither change is
// lost.
func TestRegisterMeanwhile(t *testing.T) {
	l, dir := files(t)
	file := filepath.Join(dir, "agent.json")
	for _, first := range []string{"", "first\n"} {
		_ = os.Remove(file)
		if first != "" {
			if err := os.WriteFile(file, []byte(first), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		rounds := 0
		if _, err := l.Register(file, oneLine(func(was, before []byte) ([]byte, error) {
			if rounds++; rounds <= 3 {
				f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
				if err != nil {
					return nil, err
				}
				_, err = f.WriteString("theirs\n")
				if err := errors.Join(err, f.Close()); err != nil {
					return nil, err
				}
			}
			return addMark(was, before)
		})); err != nil {
			t.Fatal(err)
		}
		theirs := first + strings.Repeat("theirs\n", 3)
		if b, err := os.ReadFile(file); err != nil || string(b) != theirs+"ours\n" {
			t.Errorf("%q, %v", b, err)
		}
		if _, err := l.Register(file, oneLine(dropMark)); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(file); err != nil || string(b) != theirs {
			t.Errorf("%q, %v", b, err)
		}
	}
}

// A program that never stops writing: nothing of ours is left, and the error says what to do.
func TestRegisterNever(t *testing.T) {
	l, dir := files(t)
	file := filepath.Join(dir, "agent.json")
	text := "x"
	_, err := l.Register(file, oneLine(func(was, before []byte) ([]byte, error) {
		text += "x"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return nil, err
		}
		return addMark(was, before)
	}))
	if err == nil || !strings.Contains(err.Error(), "close that") {
		t.Errorf("%v", err)
	}
	untouchedBy(t, l, file, text)
}

// A write that fails leaves the file, no protection, no backup, no folder and no memory of it.
func TestRegisterFails(t *testing.T) {
	l, dir := files(t)
	file := filepath.Join(dir, "made", "agent.json")
	if _, err := l.Register(file,
		oneLine(func(_, _ []byte) ([]byte, error) {
			return nil,
				errors.New("planted")
		})); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(filepath.Dir(file)); err == nil {
		t.Error("a folder is left")
	}
	if err := os.Mkdir(filepath.Join(dir, "is"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Register(filepath.Join(dir, "is"), oneLine(addMark)); err == nil ||
		!strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("%v", err)
	}
	nowhere := "/proc/agent.json" // not even root can write it
	if _, err := l.Register(nowhere, oneLine(addMark)); err == nil {
		t.Error("no error")
	}
	if protected, _, err := l.Protected(nowhere); protected || err != nil {
		t.Errorf("it is protected: %v", err)
	}
	if given, err := os.ReadDir(l.State.Registered()); err == nil && len(given) > 0 {
		t.Errorf("%v", given)
	}
}

// untouchedBy sees that a file is what it should be, and that nothing is known of it.
func untouchedBy(t *testing.T, l Files, file, want string) {
	t.Helper()
	if b, err := os.ReadFile(file); err != nil || string(b) != want {
		t.Errorf("%q, %v", b, err)
	}
	if protected, _, err := l.Protected(file); protected || err != nil {
		t.Errorf("it is protected: %v", err)
	}
	for _, dir := range []string{l.State.Registered(), l.State.Backups()} {
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: %v", dir, left)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".tada-*")); len(left) > 0 {
		t.Errorf("%v", left)
	}
}

// Settings that are kept elsewhere, by a link to the folder or to the file, are one file before it
// is made and afterwards: that is what is protected and given back.
func TestRegisterBehindLinks(t *testing.T) {
	for name, links := range map[string][][2]string{
		"a folder":                  {{".agent", "dots/d"}},
		"a folder by its full name": {{".agent", "/dots/d"}},
		"a folder that is missing":  {{".agent", "dots/d/missing"}},
		"a file":                    {{".agent/agent.json", "../dots/d/agent.json"}},
		"a file of such a folder":   {{".agent", "dots/d"}, {"dots/d/agent.json", "../x.json"}},
		"a file by two links": {{".agent", "dots"}, {"dots/agent.json", "d/two.json"},
			{"dots/d/two.json", "three.json"}},
	} {
		l, _ := files(t)
		home := t.TempDir()
		if err := os.MkdirAll(filepath.Join(home, "dots/d"), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, link := range links {
			path, to := filepath.Join(home, link[0]), link[1]
			if strings.HasPrefix(to, "/") {
				to = home + to
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
				os.Symlink(to, path)); err != nil {
				t.Fatal(err)
			}
		}
		was := namesIn(t, home)
		file := filepath.Join(home, ".agent/agent.json")
		for range 2 {
			if _, err := l.Register(file, oneLine(addMark)); err != nil {
				t.Fatal(name, err)
			}
		}
		if protected, change, err := l.Protected(file); !protected || change != "" || err != nil {
			t.Errorf("%s: protected %v, %q, %v", name, protected, change, err)
		}
		if _, err := l.Register(file, oneLine(dropMark)); err != nil {
			t.Fatal(name, err)
		}
		if is := namesIn(t, home); is != was {
			t.Errorf("%s: there is\n%swas\n%s", name, is, was)
		}
		if report, err := l.Own.Look(); err != nil || len(report.Findings) > 0 {
			t.Errorf("%s: %v, %v", name, report.Findings, err)
		}
	}
}

// namesIn is what is in a folder, one name with its mode a line.
func namesIn(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	if err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		b.WriteString(info.Mode().String() + " " + path + "\n")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A file that must not be replaced is left, and is no matter where there is nothing to change.
func TestRegisterReadOnly(t *testing.T) {
	l, dir := files(t)
	file := filepath.Join(dir, "agent.json")
	if err := os.WriteFile(file, []byte("mine\n"), 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Register(file, oneLine(dropMark)); err != nil {
		t.Errorf("nothing to take out: %v", err)
	}
	if _, err := l.Register(file, oneLine(addMark)); !errors.As(err, new(*NotWrittenError)) ||
		!strings.Contains(err.Error(), "chmod u+w") {
		t.Errorf("%v", err)
	}
	untouchedBy(t, l, file, "mine\n")
}
