package launcher

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkJudge is what one whole check costs, from the text to the plan hash.
func BenchmarkJudge(b *testing.B) {
	l, base := world(b)
	for _, line := range []string{"true", "echo hello", "ls -l", "git status", "cat link > out", "cd src && grep -rn x . | head"} {
		b.Run(strings.ReplaceAll(line, "/", "∕"), func(b *testing.B) {
			req := base
			req.Shell.Text = line
			b.ReportAllocs()
			for b.Loop() {
				j, err := l.Judge(req)
				if err != nil {
					b.Fatal(err)
				}
				j.Close()
			}
		})
	}
}

// BenchmarkCorpus is one whole check of each line of the development corpus. The aim is a
// median of 50 µs and a 99th percentile of 500 µs.
func BenchmarkCorpus(b *testing.B) {
	l, req := world(b)
	var lines []string
	for _, name := range []string{"benign", "hostile"} {
		text, err := os.ReadFile(filepath.Join("..", "integration", "testdata", "corpus", name+".jsonl"))
		if err != nil {
			b.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var entry struct{ Cmd string }
			if err := json.Unmarshal([]byte(line), &entry); err != nil {
				b.Fatal(err)
			}
			lines = append(lines, entry.Cmd)
		}
	}
	var took []time.Duration
	for b.Loop() {
		for _, line := range lines {
			req.Shell.Text = line
			start := time.Now()
			j, err := l.Judge(req)
			took = append(took, time.Since(start))
			if err == nil {
				j.Close()
			} else if !errors.Is(err, ErrEmpty) {
				b.Fatal(err)
			}
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "median-ns")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
}
