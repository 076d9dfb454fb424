package wrapper

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

func find(t testing.TB, text string) (Layer, bool) {
	t.Helper()
	file, err := syntax.NewParser(syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil {
		return Layer{}, false
	}
	return Find(file, text)
}

// captured are the commands that each program was asked for when its texts were taken down.
var captured = []string{"true", "echo 'it''s' \"$HOME\"; cd sub", "cat <<'E' | wc -l\none\nE",
	"pwd < /dev/null", "make -j2 && ls -l | head -3"}

// A capture is a file of testdata/clients: what the shell was given. A text may begin with lines of
// an earlier one.
type capture struct {
	Versions []string
	Shell    []struct {
		Argv      []string
		As, Lines int
		Text      []string
	}
}

func (c capture) texts() (texts []string) {
	for _, call := range c.Shell {
		var before []string
		if call.Lines > 0 {
			before = strings.Split(texts[call.As], "\n")[:call.Lines]
		}
		texts = append(texts, strings.Join(append(before, call.Text...), "\n"))
	}
	return texts
}

// TestCaptured reads the texts as the programs were seen to write them, some versions of each: in
// each the command is found. Some programs put nothing around it.
func TestCaptured(t *testing.T) {
	files, err := filepath.Glob("../../integration/testdata/clients/*/*.json")
	if err != nil || len(files) < 6 {
		t.Fatal(err, files)
	}
	for _, name := range files {
		var c capture
		if raw, err := os.ReadFile(name); err != nil || json.Unmarshal(raw, &c) != nil {
			t.Fatal(name, err)
		}
		var found []string
		for _, text := range c.texts() {
			l, ok := find(t, text)
			switch bare := slices.Contains(captured, text); {
			case ok && l.Client != filepath.Base(filepath.Dir(name)):
				t.Errorf("%s: of %s", name, l.Client)
			case ok:
				found = append(found, l.Own)
			case bare && (len(found) == 0 || found[len(found)-1] != text):
				// Codex starts its shell a second time inside
				found = append(found, text)
			}
		}
		if !slices.Equal(found, captured) && len(c.Shell) > 0 { // some take no shell but their own
			t.Errorf("%s: %q", name, found)
		}
	}
}
