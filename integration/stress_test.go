package integration

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// stressRuns returns how many runs TestParallelRuns makes, and how many busy processes run beside
// them: make stress makes more of both.
func stressRuns() (runs, load int) {
	if n, err := strconv.Atoi(os.Getenv("TEST_STRESS_RUNS")); err == nil {
		return n, 8
	}
	return 200, 0
}

// Honest runs, 64 at a time, each of which looks for runs whose launcher died: none is reported
// lost, none is missing, none waits ten times as long as half of them, and the record is complete.
func TestParallelRuns(t *testing.T) {
	const atOnce = 64
	runs, load := stressRuns()
	p := newPlace(t)
	if out := p.run("tada-run true"); out != "" { // what is said once
		t.Log(out)
	}
	for range load {
		busy := exec.Command("sh", "-c", "while :; do :; done")
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = busy.Process.Kill(); _ = busy.Wait() })
	}
	began := time.Now()
	var left, waited atomic.Int64
	left.Store(int64(runs))
	var all sync.WaitGroup
	times := make([]time.Duration, runs)
	for range atOnce {
		all.Go(func() {
			for i := left.Add(-1); i >= 0; i = left.Add(-1) {
				cmd := p.command(`exec tada-run true`)
				from := time.Now()
				out, err := cmd.CombinedOutput()
				times[i] = time.Since(from)
				switch {
				case err != nil:
					t.Errorf("%v: %s", err, out)
				case strings.HasPrefix(string(out), "tada-run: waiting for "):
					// five seconds for the disk
					waited.Add(1)
				case len(out) > 0:
					t.Errorf("it said: %s", out)
				}
			}
		})
	}
	all.Wait()
	took := time.Since(began)
	slices.Sort(times)
	half, most := times[runs/2], times[runs*99/100]
	if most > 10*half {
		t.Errorf("99 of 100 took at most %v, half of them %v: some had to wait", most, half)
	}
	if out := p.run("tadactl log --kind exec.orphan"); out != "" {
		t.Errorf("told to be lost:\n%s", out)
	}
	out := p.run("tadactl audit verify --complete; echo status $?")
	if !strings.Contains(out, fmt.Sprintf("complete runs: %d; still running: 0", runs+1)) ||
		!strings.Contains(out, "status 0") {
		t.Errorf("verify --complete: %s", out)
	}
	if got := strings.Count(p.run("tadactl sessions --json"), `"state":"ended"`); got != runs+1 {
		t.Errorf("%d sessions ended, want %d", got, runs+1)
	}
	places, err := os.ReadDir(p.state + "/audit/running")
	if err != nil || len(places) != 0 {
		t.Errorf("places left: %v, %v", places, err)
	}
	t.Logf("%d runs in %v beside %d busy processes, half of them in %v, 99 of 100 in %v; %d "+
		"waited for seconds\n%s", runs, took.Round(time.Millisecond), load, half, most,
		waited.Load(), out)
}
