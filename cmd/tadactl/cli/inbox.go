package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tada-run/tada-run/launcher"
)

func (c *ctl) inbox() *cobra.Command {
	var popup bool
	cmd := &cobra.Command{
		Use:   "inbox",
		Short: "Read and answer questions on the whole screen, as they come",
		Long: "Read and answer questions on the whole screen, as they come. The most dangerous come\n" +
			"first. With --popup it opens above whatever else is on the screen, inside tmux.\n\n" +
			"  up, down    choose                  enter   read it\n" +
			"  space       page down               y       approve, once; what is asked for is typed\n" +
			"  n           deny, with a word       g       approve the same plan for a while\n" +
			"  esc         back                    q       leave",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := launcher.MayDecide(); err != nil {
				return err
			}
			if popup {
				return c.popup(cmd.Context())
			}
			return c.inboxOn(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&popup, "popup", false, "in a window above the others, inside tmux")
	return verb(cmd, "126  not yours to answer")
}

// inboxOn runs the inbox on the controlling terminal, never on standard input. Whatever ends it, the
// terminal is as it was.
func (c *ctl) inboxOn(ctx context.Context) error {
	l, err := c.open()
	if err != nil {
		return err
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return &exitError{errors.New("no terminal; try: tadactl pending"), launcher.ExitUsage}
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
	m := &board{ctx: ctx, desk: l, changes: changes, phrase: phrase, now: wallClock}
	_, err = tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(tty), tea.WithOutput(tty)).Run()
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		err = nil
	}
	return errors.Join(err, m.failed)
}

// popup opens the inbox in a window of tmux, on a terminal of its own above the agent's screen.
func (c *ctl) popup(ctx context.Context) error {
	if os.Getenv("TMUX") == "" {
		return &usageError{errors.New("--popup is for a terminal inside tmux; try: tadactl inbox")}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	l, err := c.open()
	if err != nil {
		return err
	}
	// With more than one word tmux starts the program itself, without a shell.
	cmd := exec.CommandContext(ctx, "tmux", "display-popup", "-E", "-w", "90%", "-h", "90%", self, "inbox", "--home", l.Home().Dir)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("open a window of tmux: %w", err)
	}
	return nil
}
