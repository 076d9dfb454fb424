package control

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// asked returns who answers, and the variable by which to ask.
func asked(t *testing.T, handle func(context.Context, *Requests, Asker,
	func(Reply))) (*Requests, string) {
	t.Helper()
	p, err := NewPair()
	if err != nil {
		t.Fatal(err)
	}
	var d *Requests
	d = NewRequests(p, func(ctx context.Context, _ Question, a Asker,
		answer func(Reply)) {
		handle(ctx, d, a, answer)
	})
	ask, err := unix.Dup(int(p.theirs.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	d.Open()
	t.Cleanup(func() { unix.Close(ask); d.Stop(); d.Close() })
	return d, strconv.Itoa(ask)
}

// A command that was allowed and continues prevents no other from asking: an agent may leave any
// number of servers behind.
func TestWhatRunsDoesNotHoldUpQuestions(t *testing.T) {
	goOn := make(chan struct{})
	_, variable := asked(t, func(_ context.Context, _ *Requests, _ Asker, answer func(Reply)) {
		answer(Reply{Run: true})
		<-goOn
	})
	defer close(goOn)
	answers := make(chan error)
	for range 3 * maxAsking {
		go func() {
			_, err := Ask(Question{}, variable)
			answers <- err
		}()
	}
	for n := range 3 * maxAsking {
		select {
		case err := <-answers:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%d of %d questions are answered while commands run", n, 3*maxAsking)
		}
	}
}

// A question that a session took and did not answer lets nothing run: it was not recorded.
func TestUnanswered(t *testing.T) {
	_, variable := asked(t, func(context.Context, *Requests, Asker, func(Reply)) {})
	if _, err := Ask(Question{}, variable); !errors.Is(err, ErrUnanswered) ||
		errors.Is(err, ErrNoSession) {
		t.Errorf("a question without an answer: %v", err)
	}
	if _, err := Ask(Question{}, "1000000"); !errors.Is(err, ErrNoSession) {
		t.Errorf("no session: %v", err)
	}
}

// How a process ended is known before its parent has reaped it, and after.
func TestStatusOfTheAsker(t *testing.T) {
	d, _ := asked(t, func(context.Context, *Requests, Asker, func(Reply)) {})
	for line, want := range map[string]int{"exit 0": 0, "exit 7": 7, "kill -TERM $$": 143,
		"kill -KILL $$": 137} {
		cmd := exec.Command("/bin/sh", "-c", line)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		fd, err := unix.PidfdOpen(cmd.Process.Pid, 0)
		if err != nil {
			t.Fatal(err)
		}
		a := Asker{PID: cmd.Process.Pid, fd: fd}
		if got := a.Wait(d); got == nil || *got != want {
			t.Errorf("%s: the status is %s before it is reaped", line, told(got))
		}
		_ = cmd.Wait()
		if got := a.Wait(d); got != nil && *got != want { // older kernels do not tell
			t.Errorf("%s: the status is %s when it is reaped", line, told(got))
		}
		a.close()
	}
}

func told(status *int) string {
	if status == nil {
		return "unknown"
	}
	return fmt.Sprint(*status)
}
