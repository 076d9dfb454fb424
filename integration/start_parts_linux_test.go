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
	start := func(home string) []string { return []string{run, "--home", home, "true"} }
	strong, base := start(filepath.Join(homes, "strong")), start(baseHome(t, run, homes))
	tooks := []float64{processorTime(t, work, strong), processorTime(t, work, base)}
	columns := [][]partCount{sampled(t, work, strong), sampled(t, work, base)}
	fmt.Println("\n| processor time of a start | strong, ms | in the kernel | base, ms | " +
		"in the kernel |\n|---|---|---|---|---|")
	for row, part := range columns[0] {
		fmt.Printf("| %s |", part.name)
		for i, column := range columns {
			all, c := column[len(column)-1], column[row]
			fmt.Printf(" %.2f | %.0f %% |", tooks[i]*float64(c.samples)/float64(all.samples),
				100*float64(c.kernel)/max(1, float64(c.samples)))
		}
		fmt.Println()
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
func sampled(t *testing.T, dir string, argv []string) []partCount {
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
