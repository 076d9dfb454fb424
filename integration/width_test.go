package integration

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is how wide a line of code or comment may be, a tab counted as four columns.
const maxColumns = 100

// long is the number of lines of each package that are wider, for the packages that have any: most
// are string literals that would be harder to read in two pieces. The numbers only go down.
var long = map[string]int{
	"approval":                  43,
	"approval/bolt":             1,
	"approval/canonical":        2,
	"approval/plan/plantest":    1,
	"approval/render":           3,
	"audit":                     28,
	"audit/export":              37,
	"audit/play":                2,
	"audit/screen":              2,
	"audit/witness":             1,
	"audit/zstandard":           1,
	"cmd/tada-run/cli":          6,
	"cmd/tadactl/cli":           36,
	"cmd/tadactl/web":           7,
	"integration":               151,
	"integration/hook":          83,
	"integration/hook/platform": 7,
	"integration/hook/settings": 19,
	"integration/mcp":           20,
	"integration/quarantine":    31,
	"launcher":                  81,
	"launcher/broker":           4,
	"launcher/broker/network":   2,
	"launcher/caller":           4,
	"launcher/control":          4,
	"launcher/environ":          6,
	"launcher/permit":           19,
	"launcher/prompt":           2,
	"launcher/record":           1,
	"launcher/refusal":          1,
	"launcher/sandbox":          100,
	"launcher/sandbox/attack":   14,
	"launcher/sandbox/gitmeta":  43,
	"launcher/session":          18,
	"launcher/state":            7,
	"launcher/watch":            9,
	"pathguard":                 80,
	"pathguard/intent":          4,
	"pathguard/resolve":         2,
	"pathguard/tamper":          24,
	"shellparse":                6,
	"shellparse/catalog":        4,
	"shellparse/catalog/agents": 3,
	"shellparse/code":           14,
	"shellparse/command":        7,
	"shellparse/eval":           1,
	"shellparse/wrapper":        7,
}

func TestLinesFitAScreen(t *testing.T) {
	found := map[string]int{}
	for _, s := range sources(t) {
		for line := range strings.Lines(read(t, filepath.Join("..", s.folder, s.file))) {
			if screenWidth(strings.TrimSuffix(line, "\n")) > maxColumns {
				found[s.folder]++
			}
		}
	}
	for folder, n := range found {
		switch {
		case n > long[folder]:
			t.Errorf("%s: %d lines are wider than %d columns; at most %d", folder, n, maxColumns, long[folder])
		case n < long[folder]:
			t.Errorf("%s: %d lines are wider than %d columns, fewer than %d: lower the number in long",
				folder, n, maxColumns, long[folder])
		}
	}
	for folder := range long {
		if found[folder] == 0 {
			t.Errorf("long names %s, which has no such line", folder)
		}
	}
}

// screenWidth is how wide a line is on a screen whose tab stops are four columns apart.
func screenWidth(line string) (n int) {
	for _, r := range line {
		switch {
		case r == '\t':
			n += 4 - n%4
		case r != utf8.RuneError:
			n++
		}
	}
	return n
}
