package shellparse

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the scripts of the transcripts")

// Each section of a transcript is a command line, a line with an arrow, and what the Script
// of it says: see describe.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) { golden(t, name) })
	}
}

func golden(t *testing.T, name string) {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(data)
	for i, f := range archive.Files {
		text, want, _ := strings.Cut(string(f.Data), "\n=>\n")
		text = strings.TrimSuffix(text, "\n")
		s := Parse(text, agentShell)
		got := describe(s)
		if s.Err == nil && strings.TrimSuffix(s.Canonical, "\n") != text {
			got += "executes " + strings.ReplaceAll(strings.TrimSuffix(s.Canonical, "\n"), "\n",
				"⏎") + "\n"
		}
		if !*update && got != want {
			t.Errorf("%s: %s\ngot\n%s\nwant\n%s", f.Name, text, got, want)
		}
		archive.Files[i].Data = []byte(text + "\n=>\n" + got)
	}
	if out := txtar.Format(archive); *update && !bytes.Equal(out, data) {
		if err := os.WriteFile(name, out, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
