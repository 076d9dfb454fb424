package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
)

// setupFlags are the options of setup.
type setupFlags struct {
	agents    []string
	plan      string // the digest that was shown
	show, off bool
}

func (c *ctl) setup() *cobra.Command {
	var o setupFlags
	cmd := &cobra.Command{
		Use:  "setup",
		Args: cobra.NoArgs,
		RunE: c.outside(approval.SetUp, func(l *launcher.Launcher, cmd *cobra.Command,
			_ []string) error {
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
		}),
	}
	cmd.Flags().StringSliceVar(&o.agents, "agent", nil, "")
	cmd.Flags().StringVar(&o.plan, "plan", "", "")
	cmd.Flags().BoolVar(&o.show, "dry-run", false, "")
	cmd.Flags().BoolVar(&o.off, "undo", false, "")
	return verb(cmd)
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
		plan.print(c.out)
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

// consent asks the person once, or compares what was shown before.
func (c *ctl) consent(o setupFlags, changes []*setupFile) error {
	switch digest := digestOf(changes); {
	case len(changes) == 0:
		return nil
	case o.plan != "" && o.plan != digest:
		return failf(exit.Pending, "--plan %s is not what would be done now, so nothing was "+
			"changed; look at it again: --dry-run", inert(o.plan))
	case o.plan != "":
		return nil
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return failf(exit.Pending, "no terminal to ask on, so nothing was changed; to do it "+
			"without one: --dry-run, then --plan with the digest that it prints")
	}
	defer tty.Close()
	fmt.Fprintf(tty, "\n%s to change. Do this? y/n: ", audit.Plural(len(changes), "file"))
	line, _ := bufio.NewReader(tty).ReadString('\n')
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		return failf(exit.Pending, "not confirmed; nothing was changed")
	}
	return nil
}
