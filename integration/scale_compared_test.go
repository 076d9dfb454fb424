package integration

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/scale"
)

// Other programs that keep what was run and printed find in a small record what tadactl finds.
func TestScalePeers(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	bin := filepath.Join(filepath.Dir(place.dir), "bin")
	p := pair{filepath.Join(bin, "tada-run"), filepath.Join(bin, "tadactl"), place.env}
	p.filled(t, place.dir, place.state, 100, 1)
	t.Logf("\n%s", p.compared(t, place.state, 1))
}

// mostCompared is how many runs are given to the others: more take them too long.
const mostCompared = 10_000

// TestScalePeersSpeed prints how long tadactl and others take to answer the same questions about
// the same runs. It is a report, as TestScaleSpeed is.
func TestScalePeersSpeed(t *testing.T) {
	b := newScaleBench(t)
	for _, n := range b.sizes {
		if n > mostCompared {
			fmt.Printf("\n%d runs are not compared: to give them to others takes too long\n", n)
			continue
		}
		fmt.Print("\n", b.compared(t, b.state(t, n), atMost))
	}
}

// compared gives the runs of a record to others too and returns a table of what answers cost.
func (p pair) compared(t *testing.T, state string, rounds int) string {
	t.Helper()
	list := recorders(t.TempDir())
	s, runs := p.handed(t, state, list)
	list = append([]*recorder{p.own(state)}, list...)
	table := fmt.Sprintf("%d runs with output; median of %d: ms (times tadactl), MB\n\n| |", runs,
		rounds)
	for _, r := range list {
		table += " " + r.name + " |"
	}
	table += "\n|---|" + strings.Repeat("---|", len(list)) + "\n"
	for q, question := range questions {
		table += "| " + question + " | " + p.answers(t, s, list, q, rounds)
	}
	table += "| on the disk, kB a run |"
	for _, r := range list {
		cell := "not installed"
		if r.missing == "" {
			cell = fmt.Sprintf("%.1f", onDisk(t, r.files)/float64(runs))
		}
		table += " " + cell + " |"
	}
	table += fmt.Sprintf("\nall packed, tadactl: %.1f\n", p.packed(t, state)/float64(runs))
	for _, r := range list {
		if r.missing != "" {
			table += fmt.Sprintf("not compared with %s: there is no %s\n", r.name, r.missing)
		}
	}
	return table
}

// packed is how many kB a record takes once tada-run has packed it: a copy, for the record is
// measured by others as it is.
func (p pair) packed(t *testing.T, state string) float64 {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "packed")
	if out, err := exec.Command("cp", "-a", state, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p.asks(t, dir, "gc")
	return onDisk(t, p.own(dir).files)
}

// own is tadactl with a state directory.
func (p pair) own(state string) *recorder {
	r := &recorder{name: "tadactl", ask: func(s sought) [][]string {
		ask := [][]string{{"log", "-n", "50"}, {"sessions", "--all"},
			{"replay", "--no-wait", s.ID}, {"log", "--text", s.word},
			{"log", "--grep", "needle-" + s.word}, {"audit", "verify", "--full"}}
		for i := range ask {
			ask[i] = append([]string{p.ctl, "--home", state}, ask[i]...)
		}
		return ask
	}}
	for _, name := range []string{"audit", "sessions", "plans", "approvals.db"} {
		r.files = append(r.files, filepath.Join(state, name))
	}
	return r
}

// handed gives all runs with output to the recorders, and returns how many these are and one near
// the middle that the questions can be about.
func (p pair) handed(t *testing.T, state string, list []*recorder) (s sought, runs int) {
	t.Helper()
	half := len(p.sessions(t, state)) / 2
	for run := range p.printedRuns(t, state) {
		for _, r := range list {
			if r.missing != "" {
				continue
			}
			if err := r.add(run); err != nil {
				t.Fatalf("%s: %v", r.name, err)
			}
		}
		if word := run.rare(); word != "" && s.number < half {
			s = sought{run, word}
		}
		runs++
	}
	for _, r := range list {
		if r.missing == "" {
			if err := r.close(); err != nil {
				t.Fatalf("%s: %v", r.name, err)
			}
		}
	}
	if s.word == "" {
		t.Fatal("no run printed a word that is its own")
	}
	return s, runs
}

// rare is the word that this run alone has in its command, if it also printed it.
func (p *printed) rare() string {
	for e := range p.output() {
		_, after, ok := strings.Cut(string(e.Data), "needle-")
		if !ok || len(after) < len(scale.Word) {
			continue
		}
		word := after[:len(scale.Word)]
		if word >= scale.Nth(0) && word != scale.Word && strings.Contains(p.Command, word) {
			return word
		}
	}
	return ""
}
