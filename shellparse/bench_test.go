package shellparse

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// corpus returns everyday and hostile command lines, one JSON string on each line of the file.
func corpus(t testing.TB) []string {
	data, err := os.ReadFile("testdata/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(data)) {
		var text string
		if err := json.Unmarshal([]byte(line), &text); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, text)
	}
	return lines
}

var agentShell = Options{Dir: "/w", Home: "/home/dev",
	Vars: map[string]string{"HOME": "/home/dev", "PATH": "/usr/bin:/bin", "USER": "dev",
		"LANG": "C.UTF-8"}}

// BenchmarkCorpus parses each line of the corpus; beside the mean it reports the median and
// the 99th percentile of one line.
func BenchmarkCorpus(b *testing.B) {
	lines := corpus(b)
	best := make([]time.Duration, len(lines))
	b.ReportAllocs()
	for b.Loop() {
		for i, line := range lines {
			start := time.Now()
			Parse(line, agentShell)
			if d := time.Since(start); best[i] == 0 || d < best[i] {
				best[i] = d
			}
		}
	}
	slices.Sort(best)
	b.ReportMetric(float64(best[len(best)/2].Nanoseconds()), "median-ns/line")
	b.ReportMetric(float64(best[len(best)*99/100].Nanoseconds()), "p99-ns/line")
}

// BenchmarkHuge shows that the time grows with the length of the text and not faster.
func BenchmarkHuge(b *testing.B) {
	for name, text := range huge(1 << 17) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Parse(text, Options{Dir: "/w"})
			}
		})
	}
}
