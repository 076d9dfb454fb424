package integration

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A stopping says how a client ends a long command or puts it in the background: the arguments that
// its model adds to a call.
type stopping struct {
	limit      o // a short time limit; nil if the model cannot set one
	background o // to run the command in the background; nil if the model cannot
}

var stoppings = map[string]stopping{
	"claude-code":  {limit: o{"timeout": 2000}, background: o{"run_in_background": true}},
	"codex":        {limit: o{"yield_time_ms": 2000}, background: o{"yield_time_ms": 250}},
	"opencode":     {limit: o{"timeout": 2000}},
	"kilo":         {limit: o{"timeout": 2000}},
	"pi":           {limit: o{"timeout": 2}},
	"droid":        {limit: o{"timeout": 2}, background: o{"fireAndForget": true}},
	"continue-cli": {limit: o{"timeout": 2}},
	// has a setting instead: impatient
	"gemini": {limit: o{}, background: o{"is_background": true}},
	"qwen":   {limit: o{"timeout": 2000}, background: o{"is_background": true}},
	"copilot": {limit: o{"initial_wait": 2},
		background: o{"mode": "async", "shellId": "aside"}},
}

// with adds arguments to a call.
func (call toolCall) with(more o) toolCall {
	args := maps.Clone(call.args.(o))
	maps.Copy(args, more)
	call.args = args
	return call
}

// What a client puts in the background goes on, what it cancels at its time limit ends, and what
// runs when the person interrupts it ends with it, unless it also goes on without us. All of it is
// completely recorded. make test-clients.
func TestClientsStop(t *testing.T) {
	needClients(t)
	for _, c := range chosen() {
		c = impatient(c)
		t.Run("plain/"+c.name, func(t *testing.T) {
			stop(t, newBench(t, c, "/bin/bash"), c, "plain")
		})
	}
	eachDoor(t, stop, impatient)
}

// impatient gives Gemini CLI a short limit; its model cannot do that.
func impatient(c client) client {
	setup := c.setup
	c.setup = func(t *testing.T, b *bench, url string) {
		if setup(t, b, url); c.name == "gemini" {
			had := b.read("../h/.gemini/settings.json")
			write(t, filepath.Join(b.home, ".gemini/settings.json"),
				`{"tools":{"shell":{"inactivityTimeout":2}},`+had[1:])
		}
	}
	return c
}

func stop(t *testing.T, b *bench, c client, door string) {
	how := stoppings[c.name]
	if door == "mcp" {
		how = stopping{limit: o{"timeout_ms": 2000}}
	}
	long := func() (line, process string) {
		process = fmt.Sprintf("sleep %d", 1_000_000+rand.IntN(1_000_000))
		return process + "; touch never", process
	}
	limited, first := long()
	endless, second := long()
	calls := []toolCall{c.tool("true")}
	if how.background != nil {
		calls = append(calls, c.tool("sleep 1; echo > late").with(how.background),
			c.tool("until test -e late; do sleep 0.1; done; echo came 4'2'"))
	}
	at := len(calls)
	if how.limit != nil {
		calls = append(calls, c.tool(limited).with(how.limit), c.tool("echo still 4'2'"))
	}
	calls = append(calls, c.tool("touch begun; "+endless))
	got := b.interrupt(t, c, calls, "begun")
	if len(got) < len(calls)-1 {
		t.Fatalf("%d of %d calls came to an end: %q", len(got), len(calls)-1, got)
	}
	if at > 1 && !strings.Contains(got[2], "came 42") {
		t.Errorf("what goes on beside: %s\nand the next call: %s", got[1], got[2])
	}
	if at < len(calls)-1 && !strings.Contains(got[at+1], "still 42") {
		t.Errorf("a call behind one that took too long: %s\n%s", got[at], got[at+1])
	}
	if !ends(first) {
		t.Errorf("%q goes on", first)
	}
	if door == "plain" {
		_ = exec.Command("pkill", "-fx", second).Run()
		return
	}
	if !endsIn(second, 3*time.Second) && leaves(t, c) {
		if id := runningIn(t, b.ctl(t, "sessions")); id != "" {
			b.ctl(t, "kill", id)
		}
	}
	if !ends(second) {
		t.Errorf("%q goes on", second)
	}
	if b.exists("never") {
		t.Error("what was given up ran to its end")
	}
	for range 100 {
		if list := b.ctl(t, "sessions"); !strings.Contains(list, " running ") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if list := b.ctl(t, "sessions"); strings.Contains(list, " running ") {
		t.Errorf("a run is on record as running:\n%s", list)
	}
	// this records the end of a run whose launcher was killed
	_ = b.command(t, filepath.Join(b.bin, "tada-run"), "true").Run()
	b.ctl(t, "audit", "verify", "--complete")
}

var left sync.Map // by program

// leaves reports whether a client without us leaves its command running when it is interrupted, in
// one of some tries: Gemini CLI looks for what to end, and may have ended itself before.
func leaves(t *testing.T, c client) bool {
	t.Helper()
	if was, ok := left.Load(c.program); ok {
		return was.(bool)
	}
	goes := false
	for range 6 {
		b := newBench(t, c, "/bin/bash")
		line := fmt.Sprintf("sleep %d", 1_000_000+rand.IntN(1_000_000))
		b.interrupt(t, c, []toolCall{clientNamed(c.name).tool("touch begun; " + line)}, "begun")
		if goes = !endsIn(line, 3*time.Second); goes {
			_ = exec.Command("pkill", "-fx", line).Run()
			break
		}
	}
	left.Store(c.program, goes)
	return goes
}

// runningIn is the one run in a list of sessions that has no end yet.
func runningIn(t *testing.T, list string) (id string) {
	t.Helper()
	for line := range strings.Lines(list) {
		if strings.Contains(line, " running ") {
			id += strings.Fields(line)[0]
		}
	}
	return id
}

// interrupt plays until a file exists, and then interrupts the client, as a person does with
// Ctrl-C, again if once is not enough.
func (b *bench) interrupt(t *testing.T, c client, calls []toolCall, file string) []string {
	t.Helper()
	b.model.begin(calls)
	cmd, out := b.start(t, c, b.before)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for begun := false; ; {
		if now := b.exists(file); now {
			if !begun {
				time.Sleep(time.Second) // for what the client does after it has started a command
			}
			begun = true
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
		}
		select {
		case err := <-ended:
			if !begun {
				t.Fatalf("it ended before it was interrupted: %v: %s\n%q", err, out,
					b.model.results())
			}
			return b.model.results()
		case <-time.After(2 * time.Second):
		}
		if t.Context().Err() != nil {
			t.Fatalf("it does not end: %s", out)
		}
	}
}

// ends waits for the end of a process that has this command line.
func ends(line string) bool { return endsIn(line, 30*time.Second) }

func endsIn(line string, most time.Duration) bool {
	for range most / (100 * time.Millisecond) {
		if exec.Command("pgrep", "-fx", line).Run() != nil {
			return true
		}
		time.Sleep(100 * time.Millisecond)
	}
	return false
}
