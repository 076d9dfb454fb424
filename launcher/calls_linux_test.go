package launcher

import (
	"context"
	_ "embed"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/preimage"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/undo"
)

//go:embed testdata/calls.txt
var callsText string

// TestBackToAnyCall: an agent makes 96 shell calls in a workspace. A person goes back to before any
// of them, and forward again.
func TestBackToAnyCall(t *testing.T) {
	for _, name := range []string{"git", "python3", "tar"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	l, req := world(t)
	out, err := exec.Command("cp", "-a", furnished(t)+"/.", req.Dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v %s", err, out)
	}
	req.Agent, req.Ask = "ann", approves
	var ids, lines []string
	var states []map[string]string
	for n := range 4 {
		for line := range strings.Lines(callsText) {
			if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
				continue
			}
			line = strings.ReplaceAll(line, "N", fmt.Sprint(n+1))
			states, lines = append(states, tree(t, req.Dir)), append(lines, line)
			req.Shell.Text, req.Stdio, req.PTY = line, nowhere(t), session.Never
			out, err := l.Run(context.Background(), req)
			if err != nil || out.Refusal != nil || out.Reversible != true {
				t.Fatalf("%s: %v %+v %v %v", line, err, out.Refusal, out.Reversible, out.Lacks)
			}
			ids = append(ids, out.Session)
		}
	}
	if len(ids) != 96 {
		t.Fatalf("%d calls, want 96", len(ids))
	}
	last := tree(t, req.Dir)
	for _, n := range chosen(len(ids), hermetic.Rounds(96)) {
		runs, err := l.KeptBy(preimage.Selection{Since: ids[n], Agent: "ann", Dir: req.Dir})
		if err != nil {
			t.Fatal(err)
		}
		result, err := l.Undo(undo.Take{Runs: runs}, ordered("undo", req.Dir))
		if err != nil || result.Refused > 0 {
			t.Fatalf("back to before %q: %v %q", lines[n], err, refusals(result))
		}
		if left := unlike(states[n], tree(t, req.Dir)); len(left) > 0 {
			t.Fatalf("before call %d, %q:\n%s", n, lines[n], strings.Join(left, "\n"))
		}
		result, err = l.Undo(undo.Take{Runs: []string{result.Run}}, ordered("redo", req.Dir))
		if err != nil || result.Refused > 0 {
			t.Fatalf("forward from %q: %v %q", lines[n], err, refusals(result))
		}
		if left := unlike(last, tree(t, req.Dir)); len(left) > 0 {
			t.Fatalf("forward from call %d, %q:\n%s", n, lines[n], strings.Join(left, "\n"))
		}
	}
}

// chosen are so many of n calls, spread over all of them; the first is always one.
func chosen(n, many int) (list []int) {
	for k := range min(n, many) {
		list = append(list, k*n/min(n, many))
	}
	return list
}

func refusals(r undo.Result) (list []undo.Step) {
	for _, s := range r.Steps {
		if s.Do == undo.Refuse {
			list = append(list, s)
		}
	}
	return list
}

// ordered is an undo at a terminal.
func ordered(command, dir string) UndoOrder {
	return UndoOrder{Over: approval.ChannelTadactl, Command: command, Dir: dir}
}
