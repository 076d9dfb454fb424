package replay

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/plans"
	"github.com/tada-run/tada-run/audit/zstandard"
	"github.com/tada-run/tada-run/integration/hermetic"
)

// corpusLines are the first n different lines of the development corpora.
func corpusLines(t testing.TB, n int) (lines []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, name := range []string{"benign", "hostile"} {
		f, err := os.Open("../../integration/testdata/corpus/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		in := bufio.NewScanner(f)
		in.Buffer(nil, 1<<20)
		for len(lines) < n && in.Scan() {
			var line struct{ Cmd string }
			if err := json.Unmarshal(in.Bytes(), &line); err != nil {
				t.Fatal(err)
			}
			if !seen[line.Cmd] {
				seen[line.Cmd], lines = true, append(lines, line.Cmd)
			}
		}
	}
	return lines
}

// BenchmarkReplay judges 10,000 plans again that are packed, all of them different, and says how
// many bytes each takes.
func BenchmarkReplay(b *testing.B) {
	lines := corpusLines(b, 10_000)
	rec := recordIn(b, hermetic.Tree(b, "home/dev/", "w/.git/", "w/a.txt"), "{}", lines...)
	rec.Codec = audit.Codec{Encoder: zstandard.Encoder, Decoder: zstandard.Decoder}
	packed, err := plans.Pack(context.Background(), rec.Plans, rec.Codec)
	if err != nil {
		b.Fatal(err)
	}
	other := policy(b, rec.Account, "rules: {commands: [{program: cat, verdict: deny}]}")
	for b.Loop() {
		r, err := rec.Replay(Options{Policy: &other})
		if err != nil || r.Plans != len(lines) || len(r.Changes) == 0 || len(r.Skipped) > 0 {
			b.Fatalf("%d plans, skipped %v, %v", r.Plans, r.Skipped, err)
		}
	}
	b.ReportMetric(float64(packed.After)/float64(packed.Files), "B/plan")
}
