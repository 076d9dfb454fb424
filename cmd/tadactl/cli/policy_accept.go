package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
)

func (c *ctl) policyAccept() *cobra.Command {
	var revoke bool
	cmd := verb("accept", cobra.NoArgs, func(*cobra.Command, []string) error {
		if err := c.mayEdit("policy accept"); err != nil {
			return err
		}
		l, dir, err := c.openHere()
		if err != nil {
			return err
		}
		if revoke {
			return c.unaccept(l, dir)
		}
		p, err := l.Proposed(dir)
		if err != nil {
			return err
		}
		return c.accept(l, p)
	})
	cmd.Flags().BoolVar(&revoke, "revoke", false, "")
	return cmd
}

// accept shows what a workspace proposes, and accepts it if the person says so.
func (c *ctl) accept(l *launcher.Launcher, p launcher.Proposed) error {
	switch {
	case len(p.Allows) == 0:
		_, err := fmt.Fprintf(c.out, "%s allows nothing that needs to be accepted\n", inert(p.File))
		return err
	case p.Accepted:
		_, err := fmt.Fprintf(c.out, "%s is accepted already\n", inert(p.File))
		return err
	}
	fmt.Fprintf(c.out, "%s\n%s\nThese rules would allow something, to commands of %s alone:\n",
		inert(p.File), p.Diff, inert(p.Workspace))
	for _, rule := range p.Allows {
		fmt.Fprintf(c.out, "  %s\n", render.Inert(rule))
	}
	s := c.dialogue()
	defer s.close()
	for {
		answer, err := s.line("accept this? type yes, or (q)uit: ")
		switch {
		case err != nil:
			return failf(exit.Pending, "interrupted; nothing was accepted")
		case answer == "q":
			c.status = exit.Pending
			_, err := fmt.Fprintln(c.out, "nothing was accepted")
			return err
		case answer == "yes":
			if err := l.AcceptRules(p); err != nil {
				return err
			}
			if p.Changed() {
				return failf(1, "%q changed while you read it, so none of its rules that allow "+
					"counts; read it again: tadactl policy accept", p.File)
			}
			_, err := fmt.Fprintln(c.out, "accepted, until the file changes; to take it back: "+
				"tadactl policy accept --revoke")
			return err
		}
	}
}

func (c *ctl) unaccept(l *launcher.Launcher, dir string) error {
	ok, err := l.UnacceptRules(dir)
	if err == nil && !ok {
		return failf(1, "nothing of this workspace was accepted")
	}
	if err == nil {
		_, err = fmt.Fprintln(c.out, "its rules only tighten from now on")
	}
	return err
}
