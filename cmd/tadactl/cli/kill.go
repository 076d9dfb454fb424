package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/tada-run/tada-run/launcher"
)

func (c *ctl) kill() *cobra.Command {
	return verb("kill ID", cobra.ExactArgs(1), c.opened(func(l *launcher.Launcher, _ *cobra.Command,
		args []string) error {
		id, err := l.Session(args[0])
		if err != nil {
			return err
		}
		gently, err := l.Live().Kill(id)
		if err != nil {
			return err
		}
		if c.json {
			return c.printJSON(map[string]any{"id": id, "killed": true, "end_recorded": gently})
		}
		how := "ended"
		if !gently {
			how = "killed before it could record its end; see: tadactl audit verify --complete"
		}
		fmt.Fprintf(c.out, "%s  %s\n", id, how)
		return nil
	}))
}
