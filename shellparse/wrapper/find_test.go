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
var captured = []string{"true", "echo 'it''s' \"$HOME\"; cd sub", "cat <<'E' | wc -l\none\nE", "pwd < /dev/null", "make -j2 && ls -l | head -3"}

// TestCaptured reads the texts as the programs were seen to write them, one file for each version: in each the command is
// found. Some programs put nothing around it.
func TestCaptured(t *testing.T) {
	files, err := filepath.Glob("../../integration/testdata/clients/*/*.txtar")
	if err != nil || len(files) < 5 {
		t.Fatal(err, files)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for row := range strings.Lines(string(text)) {
			var argv []string
			if json.Unmarshal([]byte(row), &argv) != nil || len(argv) != 3 {
				continue
			}
			l, ok := find(t, argv[2])
			switch bare := slices.Contains(captured, argv[2]); {
			case ok && l.Client != filepath.Base(filepath.Dir(name)):
				t.Errorf("%s: of %s", name, l.Client)
			case ok:
				found = append(found, l.Own)
			case bare && (len(found) == 0 || found[len(found)-1] != argv[2]): // Codex starts its shell a second time inside
				found = append(found, argv[2])
			}
		}
		if !slices.Equal(found, captured) {
			t.Errorf("%s: %q", name, found)
		}
	}
}
