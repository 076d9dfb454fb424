package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestStartParts prints what the processor time of a start goes to. It samples the stacks of many
// starts (perf record), and scales them to the time that a start takes without perf. It is a
// report, not a check, and runs only on request.
func TestStartParts(t *testing.T) {
	if os.Getenv("BENCH_START") == "" {
		t.Skip("a report for people: make bench-start")
	}
	if _, err := exec.LookPath("perf"); err != nil {
		t.Skip("needs perf, and the right to use it")
	}
	run, work, homes := installed(t, "../cmd/tada-run"), quiet(t), quiet(t)
	for _, level := range []string{"strong", "base"} {
		home := filepath.Join(homes, level)
		if level == "base" {
			home = baseHome(t, run, homes)
		}
		start := []string{run, "--home", home, "true"}
		took := processorTime(t, work, start)
		counts, all := sampled(t, work, start)
		fmt.Printf("\nprocessor time of a start of `true`, %s, %.1f ms\n\n"+
			"| | ms | of it in the kernel |\n|---|---|---|\n", level, took)
		for _, c := range counts {
			if c.samples > 0 {
				fmt.Printf("| %s | %.2f | %.0f %% |\n", c.name,
					took*float64(c.samples)/float64(all), 100*float64(c.kernel)/float64(c.samples))
			}
		}
	}
}

// processorTime is the median of what a start takes with all processes that it waits for, in ms.
func processorTime(t *testing.T, dir string, argv []string) float64 {
	var all []float64
	for range 100 {
		cmd := exec.Command(argv[0], argv[1:]...)
		if cmd.Dir = dir; cmd.Run() != nil {
			t.Fatalf("%q: %v", argv, cmd.ProcessState)
		}
		state := cmd.ProcessState
		all = append(all, float64((state.UserTime()+state.SystemTime()).Microseconds())/1000)
	}
	return median(all)
}

const sampledStarts = 200

// sampled runs many starts under perf and counts the samples of each part.
func sampled(t *testing.T, dir string, argv []string) (counts []partCount, all int) {
	data := filepath.Join(t.TempDir(), "perf.data")
	record := exec.Command("perf", "record", "-q", "-e", "cpu-clock", "-F", "19999", "-g",
		"-o", data, "--", "xargs", "-a", numbers(t, sampledStarts), "-I{}")
	record.Args = append(record.Args, argv[:len(argv)-1]...)
	record.Args, record.Dir = append(record.Args, argv[len(argv)-1]+" {}"), dir
	if out, err := record.CombinedOutput(); err != nil {
		t.Skipf("perf record: %v\n%s", err, out)
	}
	script := exec.Command("perf", "script", "-i", data, "-F", "comm,ip,sym")
	out, err := script.Output()
	if err != nil {
		t.Fatal(err)
	}
	return count(string(out))
}
