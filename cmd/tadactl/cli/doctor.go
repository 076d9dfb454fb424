package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

func (c *ctl) doctor() *cobra.Command {
	var attacks, verbose bool
	cmd := verb("doctor", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		if attacks {
			return c.attack(cmd.Context())
		}
		l, dir, err := c.openHere()
		if err != nil {
			return err
		}
		h := c.examine(cmd.Context(), l, dir)
		switch {
		case c.json:
			return c.printJSON(h.facts(l))
		case verbose:
			c.printHealth(l, h)
		default:
			c.printWrong(h)
		}
		return nil
	})
	cmd.Flags().BoolVar(&attacks, "attack", false, "")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "")
	return cmd
}

// printWrong prints one line if all is well, and otherwise one for each thing that is not, with
// what to type.
func (c *ctl) printWrong(h checkup) {
	for _, w := range h.wrong {
		fmt.Fprintf(c.out, "WRONG    %s; try: %s\n", render.Inert(w.What), w.Try)
	}
	c.printRemote(h.remote)
	switch {
	case len(h.wrong) == 0:
		fmt.Fprintf(c.out, "All is well: level %s, kernel %s, undo for %s.\n", h.sandbox.Level,
			h.sandbox.Kernel, h.undo.Keep)
	case h.sandbox.Level != sandbox.None:
		fmt.Fprintf(c.out, "level    %s\n", h.sandbox.Level)
	}
}
