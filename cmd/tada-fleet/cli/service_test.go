package cli

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A path is one word of the command, whatever is in it.
func TestServiceQuotes(t *testing.T) {
	odd := "/home/a b/100%/$HOME/\"x\\<&>"
	want := `ExecStart="/usr/bin/tada-fleet" agent --home "/home/a b/100%%/$$HOME/\"x\\<&>"`
	if text := unit("/usr/bin/tada-fleet", odd); !strings.Contains(text, want+"\n") {
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
