package cli

import (
	"encoding/xml"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// A path is one word of the command, whatever is in it.
func TestServiceQuotes(t *testing.T) {
	odd := "/home/a b/100%/$HOME/\"x\\<&>"
	want := `ExecStart="/opt/$x 1/tada-fleet" agent --home "/home/a b/100%%/$$HOME/\"x\\<&>"`
	if text := unit("/opt/$x 1/tada-fleet", odd); !strings.Contains(text, want+"\n") {
		t.Errorf("%s", text)
	}
	var list struct {
		Words []string `xml:"dict>array>string"`
	}
	if err := xml.Unmarshal([]byte(plist("/usr/bin/tada-fleet", odd)), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Words) != 4 || list.Words[3] != odd {
		t.Errorf("%q", list.Words)
	}
}

// systemd takes the unit as it is written, and starts the program wherever it is.
func TestServiceIsAUnit(t *testing.T) {
	dir := t.TempDir()
	// it takes no quotes and backslashes in the path of a program
	program := filepath.Join(dir, `a b/100%/$HOME/x<&>`, "tada-fleet")
	if err := errors.Join(os.MkdirAll(filepath.Dir(program), 0o755),
		os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "tada-fleet.service")
	says := func(text string) string {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("systemd-analyze", "verify", "--man=no", path).CombinedOutput()
		if errors.Is(err, exec.ErrNotFound) {
			t.Skip(err)
		}
		if err != nil {
			out = append(out, err.Error()...)
		}
		return string(out)
	}
	right := unit(program, "/home/"+program+`/"x\`)
	if out := says(right); out != "" {
		t.Errorf("%s\n%s", out, right)
	}
	for _, wrong := range []string{unit(program+"x", "/"), strings.Replace(right, "Restart=",
		"Restarts=", 1)} {
		if says(wrong) == "" {
			t.Errorf("it takes what is wrong:\n%s", wrong)
		}
	}
}

// What a person has written is neither replaced nor removed.
func TestServiceOfThePerson(t *testing.T) {
	s := service{path: filepath.Join(t.TempDir(), "user/tada-fleet.service"), text: "ours\n"}
	for _, step := range []struct {
		do   func() error
		want string
	}{
		{s.install, "ours\n"}, {s.remove, ""}, {s.remove, ""}, {s.install, "ours\n"},
		{func() error { return os.WriteFile(s.path, []byte("mine\n"), 0o600) }, "mine\n"},
		{s.install, "mine\n"}, {s.remove, "mine\n"},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if text, _ := os.ReadFile(s.path); string(text) != step.want {
			t.Errorf("%q, not %q", text, step.want)
		}
	}
}

// systemd finds the program that the unit names, where its path has what stands for something else.
func TestServiceIsRead(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(t.TempDir(), "a b $x 100%")
	program, file := filepath.Join(dir, "tada-fleet"), filepath.Join(t.TempDir(), "f.service")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, there := range []bool{false, true} {
		if there {
			if err := hermetic.WriteProgram(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(file, []byte(unit(program, dir)), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(analyze, "--user", "--man=no", "verify", file)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if (err == nil) != there {
			t.Errorf("the program is there: %v; %v\n%s", there, err, out)
		}
	}
}
