package wrapper

import (
	_ "embed"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// carrying are what carries "ls" in the texts of each program.
var carrying = map[string]string{
	"claude": "eval 'ls'",
	"codex":  "exec /bin/bash -c 'ls'",
	"gemini": "_bgpids_file=/tmp/gemini-shell-ab/bgpids.tmp\n" +
		"(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\nls\n)",
	"tada": "/bin/tada-run --agent=codex -c 'ls'",
}

//go:embed testdata/besides.txt
var besides string

// What no program writes makes a text an ordinary one, wherever it is.
func TestNothingBesides(t *testing.T) {
	for _, carried := range carrying {
		if l, ok := find(t, carried); !ok || l.Own != "ls" {
			t.Fatalf("%s: %v, %q", carried, ok, l.Own)
		}
	}
	for row := range strings.Lines(besides) {
		row = strings.TrimSuffix(row, "\n")
		whose, text, _ := strings.Cut(row, " ")
		if row == "" || whose == "#" {
			continue
		}
		text = strings.NewReplacer("§", carrying[whose], "⏎", "\n", "S_",
			"__CODEX_SNAPSHOT_").Replace(text)
		_, err := syntax.NewParser().Parse(strings.NewReader(text), "")
		if carrying[whose] == "" || err != nil {
			t.Errorf("%s: %v", row, err)
		}
		if l, ok := find(t, text); ok {
			t.Errorf("taken for %q of %s:\n%s", l.Own, l.Client, text)
		}
	}
}
