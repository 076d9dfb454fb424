package cli

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/tada-run/tada-run/launcher"
	"golang.org/x/term"
)

func (c *ctl) watch() *cobra.Command {
	return verb("watch", cobra.NoArgs, c.opened(func(l *launcher.Launcher, cmd *cobra.Command,
		_ []string) error {
		ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM,
			syscall.SIGHUP)
		defer stop()
		changes, err := l.Changes(ctx)
		if err != nil {
			return err
		}
		told, bell := map[string]bool{}, ""
		for range changes {
			list, err := l.Pending(ctx)
			if ctx.Err() != nil {
				return nil
			}
			if err != nil {
				return err
			}
			for _, e := range list {
				if told[e.ID] || e.Decision != nil {
					continue
				}
				told[e.ID] = true
				if c.json {
					err = c.printJSON(entryOf(e))
				} else {
					fmt.Fprint(c.out, bell)
					err = c.line(ctx, l, e.ID)
				}
				if err != nil {
					return err
				}
			}
			if f, ok := c.out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
				bell = "\a"
			}
		}
		return nil
	}))
}
