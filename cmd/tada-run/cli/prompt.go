package cli

import (
	"context"
	"os"
	"slices"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher"
)

// asker returns how a question is put before the person at this terminal, or nil where there
// is none that can be trusted with it. Under an agent's full-screen program standard input or
// error is no terminal; /dev/tty is then somebody else's screen, and is not even opened.
func asker(l *launcher.Launcher, inv *invocation, req launcher.Request) func(context.Context,
	approval.Envelope) (approval.Decision, error) {
	if !isTerminal(req.Stdio.In) || !isTerminal(req.Stdio.Err) || typed(inv, req.Env) {
		return nil
	}
	return func(ctx context.Context, e approval.Envelope) (approval.Decision, error) {
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return approval.Decision{}, nil // no controlling terminal: it stays in the inbox
		}
		defer tty.Close()
		return l.Ask(ctx, tty, e, "tty")
	}
}

// typed reports whether a model may be the one that reads this terminal and types on it. Codex
// gives a command a terminal when its model wants one (tty:true), and then lets the model type
// (write_stdin): a question that is asked there is shown to the model, its challenge too, and
// answered by it. So nobody is asked on the terminal of an agent, and none where a shell was
// started on a terminal that was made for its one command: the shells that people sit at are
// started with no command, and lead the session that tada-run is then in. [launcher.Launcher.Ask]
// looks at the ancestors, and at who holds the other end of the terminal.
func typed(inv *invocation, env []string) bool {
	return inv.agent != "" || slices.ContainsFunc(env,
		func(entry string) bool { return approval.AgentMark(entry) != "" }) ||
		inv.called != "tada-run" && inv.text != nil && leads()
}

// leads reports whether this process is the first of its session.
func leads() bool {
	sid, err := unix.Getsid(0)
	return err != nil || sid == os.Getpid()
}

func isTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }
