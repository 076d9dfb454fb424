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

// A command may leave processes running, and where the configuration says background: keep they go on: in its fence and within its limits, held by
// the launcher that has started it. So that who called gets the command's status at once, that launcher is a process of its own behind the one that was called (Keep). It
// ends everything when nobody is left, when somebody kills the run, at the run's time limit, and when the agent or the session for whom it was run has ended.

// A Keep is what a Request needs for that; nil where nobody could be told that the command has ended before its processes have.
type Keep struct {
	From int                 // the process that was called
	Over func(Outcome) error // tells it how the command ended, and lets go of what is the caller's
}

// A stay is what goes on behind a command that has ended.
type stay struct {
	patron *patron
	over   bool   // the command has ended, and who called was told
	why    string // what ended it before it ended by itself
}

// stays lets what the command leaves behind go on, where that may be.
func (r *run) stays() {
	if r.Request.Keep == nil || !r.policy.Settings().KeepBackground || r.endsBehind() != "" {
		return
	}
	if p := patronOf(r.Request.Keep.From); p != nil {
		r.stay = &stay{patron: p}
		r.process.Stay()
	}
}

// endsBehind says why background: keep does not hold for this run; "" where it does. An approval is for what was shown, which had an end; what a terminal
// is taken from is hung up, here as elsewhere.
func (r *run) endsBehind() string {
	switch {
	case r.authority() != "policy":
		return "background: keep is not for commands that needed an approval"
	case r.terminal.HasTerminal():
		return "background: keep is not for commands that have a terminal"
	}
	return ""
}

// handOver tells who called how the command ended. What it left running goes on after this, and an error is why it must not.
func (r *run) handOver(c change) error {
	ctx, cancel := context.WithTimeout(context.Background(), drainLimit)
	defer cancel()
	r.terminal.Settle(ctx)
	if r.swept = r.sweep(os.Stderr); r.swept != nil {
		return r.swept
	}
	r.missed(os.Stderr, c.status)
	refused, git, later := r.teach(os.Stderr, c.status), r.takeBack(os.Stderr), r.leftLater(os.Stderr)
	out := r.outcome(c.status)
	body := r.ended(out, c.status, findings{refused: refused, git: git, later: later, behind: names(c.status.Left)}, nil)
	body["until"] = r.stay.patron.name
	problem := errors.Join(r.unheard, r.wrote(), r.recorder.Mark(fmt.Sprintf("the command ended with status %d; %s", out.Status, goesOn(c.status.Left))),
		r.record(audit.KindLeft, body, audit.Lazy))
	if problem != nil {
		return problem
	}
	r.tellStay(os.Stderr, c.status.Left)
	r.stay.over = true
	return r.Request.Keep.Over(out)
}

// tellStay says that processes go on, and how to end them.
func (r *run) tellStay(out io.Writer, left []string) {
	end := "end it"
	if len(left) > 1 {
		end = "end them"
	}
	fmt.Fprintf(out, "tada-run: %s; %s: tadactl kill %s\n", goesOn(left), end, r.id)
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

// ends reports whether a signal to the launcher ends what goes on: nobody else is there to have it.
func (s *stay) ends(sig os.Signal) bool {
	return slices.Contains([]os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT}, sig)
}

// isOver reports whether the command has ended and something goes on.
func (s *stay) isOver() bool { return s != nil && s.over }

// because notes what ended it, the first time.
func (s *stay) because(why string) {
	if s.isOver() && s.why == "" {
		s.why = why
	}
}

// ended is closed when whoever the run was for has ended; nil, which never is, before it matters.
func (s *stay) ended() <-chan struct{} {
	if !s.isOver() {
		return nil
	}
	return s.patron.ended
}
