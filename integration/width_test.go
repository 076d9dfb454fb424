package integration

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is the maximum width of a line of code or comment; a tab counts as four columns.
const maxColumns = 100

// long is the number of wider lines in each package that has any: most are string literals that
// would be harder to read in two pieces. The numbers may only go down.
var long = map[string]int{
	"approval":                  34,
	"approval/bolt":             1,
	"approval/canonical":        2,
	"approval/plan/plantest":    1,
	"approval/render":           3,
	"audit":                     18,
	"audit/export":              16,
	"audit/play":                2,
	"audit/screen":              1,
	"audit/zstandard":           1,
	"cmd/tadactl/cli":           13,
	"integration":               130,
	"integration/hook":          18,
	"integration/hook/platform": 6,
	"integration/hook/settings": 8,
	"integration/mcp":           13,
	"integration/quarantine":    23,
	"launcher":                  25,
	"launcher/broker":           2,
	"launcher/caller":           1,
	"launcher/environ":          5,
	"launcher/permit":           2,
	"launcher/sandbox":          72,
	"launcher/sandbox/gitmeta":  40,
	"launcher/session":          12,
	"launcher/watch":            4,
	"pathguard":                 34,
	"pathguard/intent":          4,
	"pathguard/tamper":          13,
	"shellparse":                6,
	"shellparse/catalog":        1,
	"shellparse/code":           7,
	"shellparse/command":        7,
	"shellparse/wrapper":        2,
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
			t.Errorf("%s: %d lines are wider than %d columns; at most %d", folder, n,
				maxColumns, long[folder])
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

// screenWidth is the width of a line on a screen with tab stops four columns apart.
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
