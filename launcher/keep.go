package launcher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/audit"
)

// A command may leave processes running, and where the configuration says background: keep they go
// on: in its sandbox and within its limits, held by the launcher that started it. So that the caller
// gets the command's status at once, that launcher is a process of its own behind the one that was
// called (Keep). It ends everything when no process is left, when the run is killed, at its time
// limit, and when the agent or the session that it was run for has ended.

// A Keep is what a Request needs for that; nil where no caller could be told that the command has
// ended before its processes have.
type Keep struct {
	From int                 // the process that was called
	Over func(Outcome) error // tells it how the command ended, and lets go of what is the caller's
}

// A background is what may go on when its command has ended. nil is that of a run of which nothing
// may.
type background struct {
	patron *patron
	over   bool   // the command has ended, and its caller was told
	why    string // what ended it before it ended by itself
}

// mayStay lets what the command leaves running go on, where that may be.
func (s *started) mayStay() *background {
	if s.Request.Keep == nil || !s.policy.Settings().KeepBackground || s.endsBehind() != "" {
		return nil
	}
	p := patronOf(s.Request.Keep.From)
	if p == nil {
		return nil
	}
	s.process.Stay()
	return &background{patron: p}
}

// endsBehind says why background: keep does not hold for this run; "" where it does. An approval is
// for what was shown, which had an end; what a terminal is taken from is hung up, as elsewhere.
func (s *started) endsBehind() string {
	switch {
	case s.kind() != "policy":
		return "background: keep is not for commands that needed an approval"
	case s.terminal.HasTerminal():
		return "background: keep is not for commands that have a terminal"
	}
	return ""
}

// handOver tells the caller how the command ended. What it left running goes on after this, and an
// error is why it must not.
func (w *supervision) handOver(c change) error {
	ctx, cancel := context.WithTimeout(context.Background(), drainLimit)
	defer cancel()
	w.terminal.Settle(ctx)
	e, found := &ended{supervision: w, status: c.status, goesOn: true}, object{}
	if err := e.find(found, beforeHandOver, os.Stderr); err != nil {
		return err
	}
	_ = e.find(found, atHandOver, os.Stderr)
	out := e.outcome()
	body := e.facts(out, found, nil)
	body["until"] = w.patron.name
	problem := errors.Join(w.contacts.err, w.wrote(), w.recorder.Mark(fmt.Sprintf("the command ended with status %d; %s", out.Status, goesOn(c.status.Left))),
		w.record(audit.KindLeft, body, audit.Lazy))
	if problem != nil {
		return problem
	}
	w.tellStay(os.Stderr, c.status.Left)
	w.over = true
	return w.Request.Keep.Over(out)
}

// tellStay says that processes go on, and how to end them.
func (w *supervision) tellStay(out io.Writer, left []string) {
	end := "end it"
	if len(left) > 1 {
		end = "end them"
	}
	fmt.Fprintf(out, "tada-run: %s; %s: tadactl kill %s\n", goesOn(left), end, w.id)
}

// goesOn counts the processes that go on, and names them.
func goesOn(left []string) string {
	verb := "goes"
	if len(left) != 1 {
		verb = "go"
	}
	return fmt.Sprintf("%s %s on in the background (%s)", audit.Plural(len(left), "process"), verb, shownNames(names(left)))
}

// names are those of processes, each once.
func names(left []string) []string {
	list := slices.Clone(left)
	slices.Sort(list)
	return slices.Compact(list)
}

// shownNames is a list of names for people.
func shownNames(list []string) string {
	var shown []string
	for _, name := range list[:min(len(list), maxBehind)] {
		shown = append(shown, visible(name))
	}
	text := strings.Join(shown, ", ")
	if len(list) > maxBehind {
		text += fmt.Sprintf(" and %d more", len(list)-maxBehind)
	}
	return text
}

// endsOn reports whether a signal to the launcher ends what goes on: no command is left to have it.
func (b *background) endsOn(sig os.Signal) bool {
	return slices.Contains([]os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT}, sig)
}

// isOver reports whether the command has ended and something goes on.
func (b *background) isOver() bool { return b != nil && b.over }

// endsBy notes what ended it, the first time.
func (b *background) endsBy(why string) {
	if b.isOver() && b.why == "" {
		b.why = why
	}
}

// patronEnded is closed when the process that the run was for has ended; nil, which never is,
// before it matters.
func (b *background) patronEnded() <-chan struct{} {
	if !b.isOver() {
		return nil
	}
	return b.patron.ended
}
