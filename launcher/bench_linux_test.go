package launcher

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkJudge is what one judgement costs, from the text to the verdict.
func BenchmarkJudge(b *testing.B) {
	l, base := world(b)
	for _, line := range []string{"true", "echo hello", "ls -l", "git status", "cat link > out",
		"cd src && grep -rn x . | head"} {
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

// threadTime is the processor time of this thread, with that of the kernel for it.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// BenchmarkCorpus is one judgement of each line of the development corpus, and what it costs
// with the plan hash, which a run, an approval and a report need and a hook does not. The aim is
// a median of 50 µs and a 99th percentile of 500 µs. It counts what the processor did in this
// thread, so that a busy machine does not make it longer.
func BenchmarkCorpus(b *testing.B) {
	l, req := world(b)
	var lines []string
	for _, name := range []string{"benign", "hostile"} {
		text, err := os.ReadFile(filepath.Join("..", "integration", "testdata", "corpus",
			name+".jsonl"))
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
	var took, sealed []time.Duration
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for b.Loop() {
		for _, line := range lines {
			req.Shell.Text = line
			start := threadTime()
			j, err := l.Judge(req)
			took = append(took, threadTime()-start)
			if err == nil {
				_ = j.Hash()
				sealed = append(sealed, threadTime()-start)
				j.Close()
			} else if !errors.Is(err, ErrEmpty) {
				b.Fatal(err)
			}
		}
	}
	for _, of := range []struct {
		name string
		took []time.Duration
	}{{"", took}, {"hashed-", sealed}} {
		slices.Sort(of.took)
		b.ReportMetric(float64(of.took[len(of.took)/2].Nanoseconds()), of.name+"median-ns")
		b.ReportMetric(float64(of.took[len(of.took)*99/100].Nanoseconds()), of.name+"p99-ns")
	}
}
