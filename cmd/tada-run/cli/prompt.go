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

// asker returns a function that asks the person at this terminal, or nil if there is none that can
// be trusted. Under an agent's full-screen program neither standard input nor standard error is a
// terminal; /dev/tty is then that program's screen, and is not even opened.
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

// typed reports whether a model may read this terminal and type on it. Codex gives a command a
// terminal if its model wants one (tty:true), and then lets the model type (write_stdin): a
// question asked there is shown to the model, with its challenge, and the model can answer it. So
// no question is asked on the terminal of an agent, or on a terminal that was made for one command
// of a shell. A person's shell is started without a command, and leads the session in which
// tada-run then runs. [launcher.Launcher.Ask] looks at the ancestors, and at the holder of the
// other end of the terminal.
func typed(inv *invocation, env []string) bool {
	return inv.agent != "" || slices.ContainsFunc(env,
		func(entry string) bool { return approval.AgentMark(entry) != "" }) ||
		inv.called != "tada-run" && inv.text != nil && leads()
}

// leads reports whether this process leads its session.
func leads() bool {
	sid, err := unix.Getsid(0)
	return err != nil || sid == os.Getpid()
}

func isTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }
