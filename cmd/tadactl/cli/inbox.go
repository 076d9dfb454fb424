package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/cmd/tadactl/inbox"
	"github.com/tada-run/tada-run/integration/console"
	"github.com/tada-run/tada-run/integration/distant"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/session"
)

func (c *ctl) inbox() *cobra.Command {
	var popup, page bool
	cmd := verb("inbox", cobra.NoArgs, c.outside(approval.ApproveLow, func(l *launcher.Launcher,
		cmd *cobra.Command, _ []string) error {
		over := approval.ChannelInbox
		if page {
			over = approval.ChannelWeb
		}
		if _, err := l.May(approval.ApproveLow, over); err != nil {
			return err
		}
		switch {
		case popup && page:
			return usagef("--popup or --web, not both")
		case popup:
			return c.popup(cmd.Context(), l)
		case page:
			return c.serveConsole(cmd.Context(), l, "inbox", console.Address{})
		}
		return c.inboxOn(cmd.Context(), l)
	}))
	cmd.Flags().BoolVar(&popup, "popup", false, "")
	cmd.Flags().BoolVar(&page, "web", false, "")
	return cmd
}

// inboxOn runs the inbox on the controlling terminal, never on standard input. The terminal is
// restored however it ends.
func (c *ctl) inboxOn(ctx context.Context, l *launcher.Launcher) error {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return failf(exit.Usage, "no terminal; try: tadactl pending")
	}
	defer tty.Close()
	before, err := term.GetState(int(tty.Fd()))
	if err != nil {
		return fmt.Errorf("read the modes of the terminal: %w", err)
	}
	defer term.Restore(int(tty.Fd()), before)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()
	changes, err := l.Changes(ctx)
	if err != nil {
		return err
	}
	phrase, err := l.Phrase()
	if err != nil {
		return err
	}
	if _, err := tty.WriteString(session.Plain); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	return inbox.Run(ctx, inbox.Source{Desk: l, Changes: changes, Phrase: phrase, Look: l.Look(),
		Fleet: distant.Of(l.Home()), Latest: func() []string { return latestChanges(l) }}, tty)
}

// maxLatest is how many runs the inbox shows below the questions.
const maxLatest = 5

// latestChanges are the newest runs that changed files, the newest first.
func latestChanges(l *launcher.Launcher) (lines []string) {
	n := 0
	for r, err := range l.Newest(time.Time{}) {
		if n++; err != nil || n > maxListed {
			break // the questions are what the inbox is for
		}
		if r.RunChanges.Changes == nil || *r.RunChanges.Changes == (past.ChangedFiles{}) {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s  %s  %s", r.ID, r.RunChanges.String(), briefly(r)))
		if len(lines) == maxLatest {
			break
		}
	}
	return lines
}

// popup opens the inbox in a window of tmux, on a terminal of its own above the agent's screen.
func (c *ctl) popup(ctx context.Context, l *launcher.Launcher) error {
	if os.Getenv("TMUX") == "" {
		return usagef("--popup is for a terminal inside tmux; try: tadactl inbox")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// With more than one word tmux starts the program itself, without a shell.
	cmd := exec.CommandContext(ctx, "tmux", "display-popup", "-E", "-w", "90%", "-h", "90%", self,
		"inbox", "--home", l.Home().Dir)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("open a window of tmux: %w", err)
	}
	return nil
}
