package cli

import (
	"context"
	"os"

	"golang.org/x/term"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/session"
)

// asker returns how a question is put before the person at this terminal, or nil where there
// is none that can be trusted with it. Under an agent's full-screen program standard input or
// error is no terminal; /dev/tty is then somebody else's screen, and is not even opened.
func asker(l *launcher.Launcher, stdio session.Stdio) func(context.Context, approval.Envelope) (approval.Decision, error) {
	if !isTerminal(stdio.In) || !isTerminal(stdio.Err) {
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

func isTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }
