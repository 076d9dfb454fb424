package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher/caller"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

func (c *ctl) demo() *cobra.Command {
	var auto, fast bool
	cmd := verb("demo", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		if err := caller.Outside(approval.ApproveCritical); err != nil {
			return err
		}
		if c.named || c.json {
			return usagef("demo makes a state directory of its own and prints text, so " +
				"--home and --json have no meaning")
		}
		// whatever would end the process, so that the folder is removed first
		ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM,
			syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
		defer stop()
		return c.playDemo(ctx, auto, fast)
	})
	cmd.Flags().BoolVar(&auto, "auto", false, "")
	cmd.Flags().BoolVar(&fast, "fast", false, "")
	return cmd
}

// playDemo makes the folder, plays the steps in it and removes it, however it ends.
func (c *ctl) playDemo(ctx context.Context, auto, fast bool) error {
	level := sandbox.Probe().Level
	if level == sandbox.None {
		return errors.New("no sandbox works on this machine, so nothing would run; try: " +
			"tadactl doctor")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	d := &demo{ctl: c, self: self, pauses: !fast && isTerminal(c.in) && isTerminal(os.Stdout)}
	if d.runner, err = besideOf(self, "tada-run"); err != nil {
		return err
	}
	if d.throwaway, err = newThrowaway(c.place); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "A story in a folder that is removed at the end. To type along:\n"+
		"cd %s\nCommands run at level %s. Nothing of yours is changed.\n", d.work, level)
	if why := d.absent(auto); why == "" {
		d.present = true
	} else {
		fmt.Fprintf(c.out, "No person answers here, so the demo does: %s.\n", render.Inert(why))
	}
	err = d.tell(ctx)
	if removed := os.RemoveAll(d.top); removed != nil {
		return errors.Join(err, fmt.Errorf("remove the folder of the demo: %w", removed))
	}
	switch {
	case errors.Is(err, errLeft) || ctx.Err() != nil:
		fmt.Fprintln(c.out, "\nLeft before the end; the folder is removed.")
		c.status, err = interrupted, nil
	case err == nil:
		fmt.Fprintln(c.out, "\nThat was all, and the folder is removed. Next: tadactl setup")
	}
	return err
}

// tell plays the steps.
func (d *demo) tell(ctx context.Context) error {
	for i, s := range story {
		fmt.Fprintf(d.out, "\n%d/%d  %s\n", i+1, len(story), s.shows)
		if err := s.play(ctx, d, s); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		if i+1 == len(story) {
			break
		}
		if err := d.pause(ctx); err != nil {
			return err
		}
	}
	return nil
}

// absent says why no person answers here, or "" if one does.
func (d *demo) absent(auto bool) string {
	switch {
	case auto:
		return "--auto was given"
	case !isTerminal(d.in) || !isTerminal(os.Stdout) || !isTerminal(os.Stderr):
		return "it is not at a terminal"
	}
	_, why := caller.Own().Who()
	return why
}

func isTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }
