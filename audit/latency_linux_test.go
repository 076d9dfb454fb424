package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// latencies appends and prints how long each call took, in nanoseconds.
func latencies(l *Log, d Durability, n int) error {
	body := []byte(`{"argv":["ls","-l"],"cwd":"/home/me/project","plan_hash":"` +
		strings.Repeat("a", 64) + `","verdict":"allow"}`)
	for range n {
		began := time.Now()
		if _, err := l.Append("exec.intent", body, d); err != nil {
			return err
		}
		if _, err := fmt.Println(time.Since(began).Nanoseconds()); err != nil {
			return err
		}
	}
	return nil
}

// The cost of an append while other processes append too: the median and the 99th of a hundred, by
// durability and number of processes.
func BenchmarkAppendProcesses(b *testing.B) {
	for d, name := range []string{Lazy: "lazy", Durable: "durable", Intent: "intent"} {
		for _, processes := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("%s/processes=%d", name, processes), func(b *testing.B) {
				var all []int64
				began, each := time.Now(), max(1, 640/processes)
				for b.Loop() {
					dir := filepath.Join(b.TempDir(), strconv.Itoa(b.N), "audit")
					out := make(chan string, processes)
					for range processes {
						c := run(b, "latency", dir, strconv.Itoa(d), strconv.Itoa(each))
						c.Stderr = os.Stderr
						go func() { text, _ := c.Output(); out <- string(text) }()
					}
					for range processes {
						for f := range strings.FieldsSeq(<-out) {
							n, _ := strconv.ParseInt(f, 10, 64)
							all = append(all, n)
						}
					}
				}
				slices.Sort(all)
				if len(all) == 0 {
					b.Fatal("no process appended")
				}
				b.ReportMetric(float64(all[len(all)/2])/1e3, "p50-us")
				b.ReportMetric(float64(all[len(all)*99/100])/1e3, "p99-us")
				b.ReportMetric(float64(len(all))/time.Since(began).Seconds(), "entries/s")
			})
		}
	}
}
