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
		hermetic.WriteProgram(program, []byte("#!/bin/sh\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "tada-fleet.service")
	says := func(text string) string {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("systemd-analyze", "--user", "--man=no", "verify", path)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir)
		out, err := cmd.CombinedOutput()
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

// The unit of the packages is the one that join writes, for the account's own state directory; join
// writes none where it is.
func TestServiceOfThePackage(t *testing.T) {
	text, err := os.ReadFile("../../../packaging/systemd/tada-fleet.service")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(unit(packagedProgram, "/x"), ` --home "/x"`, "", 1)
	if string(text) != want {
		t.Errorf("%s, not\n%s", text, want)
	}
	description, err := os.ReadFile("../../../packaging/nfpm-fleet.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{packagedProgram, packagedUnit} {
		if !strings.Contains(string(description), "dst: "+path+",") {
			t.Errorf("the packages have no %s", path)
		}
	}
	s := service{path: filepath.Join(t.TempDir(), "user/tada-fleet.service"), there: true}
	if err := s.install(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a unit was written beside that of the package: %v", err)
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
