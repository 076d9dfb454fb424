package replay

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/plans"
	"github.com/tada-run/tada-run/audit/zstandard"
	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/pathguard/frozen"
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

// Any number of different plans is judged again, in memory that grows by what is counted of each.
// BENCH_PLANS is how many; the default is for an ordinary test.
func TestManyPlans(t *testing.T) {
	n := 2000
	if s := os.Getenv("BENCH_PLANS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	lines := corpusLines(t, 500)
	rec := recordIn(t, hermetic.Tree(t, "home/dev/", "w/.git/", "w/a.txt"), "{}", lines...)
	rec.Codec = audit.Codec{Encoder: zstandard.Encoder, Decoder: zstandard.Decoder}
	var from []*frozen.Frozen
	for plan := range plans.All(rec.Plans, rec.Codec) {
		f, err := frozen.Thaw(plan.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		from = append(from, f)
	}
	w, err := rec.OpenLog()
	if err != nil {
		t.Fatal(err)
	}
	runs := len(lines) + 1
	for i := range n {
		f := *from[i%len(from)]
		f.Plan.Script.Text = fmt.Sprint(lines[i%len(lines)], " # ", i)
		name, err := plans.Put(rec.Plans, frozen.Freeze(f, nil))
		if err == nil {
			_, err = w.Append(record.KindIntent, fmt.Appendf(nil,
				`{"command":"x","plan":%q,"sid":"%016x","verdict":"deny"}`, name, i), audit.Lazy)
		}
		if err == nil && i%20_000 == 19_999 {
			_, err = plans.Pack(context.Background(), rec.Plans, rec.Codec)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	began := time.Now()
	r, err := rec.Replay(Options{})
	if err != nil || r.Runs != n+runs || r.Plans != n+len(from) || len(r.Skipped) > 0 {
		t.Fatalf("%d runs of %d plans, %v, %v", r.Runs, r.Plans, r.Skipped, err)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%d plans in %v, %d MB of memory", r.Plans, time.Since(began).Round(time.Millisecond),
		m.Sys>>20)
}
