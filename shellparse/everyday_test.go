package shellparse

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// In lines of every day there is next to nothing that a dialect leaves open only because its
// shell might read it in another way than bash (C-3.4.3).
func TestEverydayLinesInEveryDialect(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../integration/testdata/corpus/benign.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []struct {
		name    string
		dialect Dialect
		most    float64 // per cent
	}{{"bash", Bash, 0}, {"posix", POSIX, 0.5}, {"zsh", Zsh, 1.5}} {
		all, open := 0, 0
		for line := range strings.Lines(string(data)) {
			var l struct{ Cmd string }
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			o := agentShell
			o.Dialect = d.dialect
			all++
			for _, x := range Parse(l.Cmd, o).Opaque {
				if strings.Contains(x.Why, "in a way of its own") {
					open++
					break
				}
			}
		}
		share := 100 * float64(open) / float64(all)
		t.Logf("%s: %d of %d everyday lines have a word that only this shell reads so (%.1f%%)",
			d.name, open, all, share)
		if share > d.most {
			t.Errorf("%s leaves %.1f%% of the lines open, at most %.1f%% may be", d.name, share,
				d.most)
		}
	}
}
