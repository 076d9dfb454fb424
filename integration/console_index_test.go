package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each attack and each scenario of the two lists has the test that the list names; there are forty
// of each.
func TestConsoleIsTried(t *testing.T) {
	t.Parallel()
	for _, list := range []string{"attacks.txt", "scenarios.txt"} {
		text, err := os.ReadFile(filepath.Join("testdata", "console", list))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			if line[0] == '#' {
				continue
			}
			n++
			parts := strings.SplitN(strings.TrimSuffix(line, "\n"), " | ", 3)
			if len(parts) != 3 {
				t.Fatalf("%s: %q", list, line)
			}
			source, err := os.ReadFile(filepath.FromSlash(parts[1]))
			if err != nil || !strings.Contains(string(source), parts[2]) {
				t.Errorf("%s: %s: no %s in %s (%v)", list, parts[0], parts[2], parts[1], err)
			}
		}
		if n < 40 {
			t.Errorf("%s has %d lines", list, n)
		}
	}
}
