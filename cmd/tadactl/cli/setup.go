package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher"
)

func (c *ctl) setup() *cobra.Command {
	var o setupFlags
	cmd := verb("setup", cobra.NoArgs, c.outside(approval.SetUp, func(l *launcher.Launcher,
		cmd *cobra.Command, _ []string) error {
		if _, err := l.May(approval.SetUp, approval.ChannelTadactl); err != nil {
			return err
		}
		if c.json && o.plan == "" && !o.show {
			return usagef("--json asks nothing: use it with --dry-run, or with --plan")
		}
		if o.off {
			return c.setUpBack(l, o)
		}
		return c.setUp(cmd.Context(), l, o)
	}))
	cmd.Flags().StringSliceVar(&o.agents, "agent", nil, "")
	cmd.Flags().StringVar(&o.plan, "plan", "", "")
	cmd.Flags().BoolVar(&o.show, "dry-run", false, "")
	cmd.Flags().BoolVar(&o.off, "undo", false, "")
	return cmd
}

// setUp shows what it would do for the agents of this account, asks, does it, and proves it.
func (c *ctl) setUp(ctx context.Context, l *launcher.Launcher, o setupFlags) error {
	found, err := agentsToSetUp(o.agents)
	if err != nil {
		return err
	}
	plan, err := c.planSetup(l, found)
	if err != nil {
		return err
	}
	report := setupReport{plan: plan, changes: plan.changes()}
	if !c.json {
		plan.print(c.out, o.show)
	}
	if o.show {
		return c.printReport(report)
	}
	if err := c.consent(o, report.changes); err != nil {
		return err
	}
	report.failed = c.apply(l, plan)
	report.proofs = plan.proveSetup(ctx, l)
	report.done = true
	if report.bad() {
		c.status = 1
	}
	return c.printReport(report)
}
