package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/cmd/tadactl/inbox"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/permit"
)

// A standing is one grant as --json prints it.
type standing struct {
	ID       string    `json:"id"`
	Envelope string    `json:"envelope"`
	Command  string    `json:"command"`
	WorkItem string    `json:"work_item"`
	Session  string    `json:"session"`
	Used     int       `json:"used"`
	Uses     int       `json:"uses"`
	Expires  time.Time `json:"expires"` // no meaning with Lasting
	// does not expire, until it is revoked: what an agent's session opens
	Lasting bool `json:"lasting,omitempty"`
	// what commands it covers, with stars; "" for one that covers no more than Command
	Covers   string `json:"covers,omitempty"`
	Approver string `json:"approver"`
}

func standingOf(g approval.Grant) standing {
	covers := ""
	if c, ok := plan.Chosen(g.Payload); ok {
		covers = c.Text()
	}
	return standing{
		Covers: covers,
		ID:     g.ID, Envelope: g.Envelope, Command: commandOf(g.Payload), WorkItem: g.WorkItem,
		Session: g.Session,
		Used:    g.Used, Uses: g.Uses, Expires: g.Expires, Lasting: g.Lasting, Approver: g.Approver,
	}
}

func (c *ctl) grants() *cobra.Command {
	cmd := verb("grants", cobra.NoArgs, c.opened(func(l *launcher.Launcher, cmd *cobra.Command,
		_ []string) error {
		list, err := l.Grants(cmd.Context())
		if err != nil {
			return err
		}
		if c.json {
			out := make([]standing, 0, len(list))
			for _, g := range list {
				out = append(out, standingOf(g))
			}
			return c.printJSON(out)
		}
		for _, g := range list {
			what := inbox.Short(g.Payload, 400)
			if choice, ok := plan.Chosen(g.Payload); ok {
				what = fmt.Sprintf("%s in %s: %s", inert(choice.Text()), inert(choice.Dir),
					inert(strings.Join(choice.Asks, ", ")))
			}
			fmt.Fprintln(c.out, c.row(fmt.Sprintf("%s  used %s  %s", g.ID, usesOf(g), what)))
		}
		return nil
	}))
	cmd.AddCommand(c.revoke())
	return cmd
}

// usesOf returns how often a grant was used, how often it may be, and until when.
func usesOf(g approval.Grant) string {
	where := fmt.Sprintf("in %q", workspaceOf(g.Payload))
	if workspaceOf(g.Payload) == "" {
		where = "in every workspace"
	}
	if g.Lasting {
		return fmt.Sprintf("%d, until it is revoked, %s", g.Used, where)
	}
	return fmt.Sprintf("%d of %d, until %s", g.Used, g.Uses,
		g.Expires.Local().Format(time.DateTime))
}

func (c *ctl) revoke() *cobra.Command {
	return verb("revoke ID", cobra.ExactArgs(1), c.outside(approval.Revoke,
		func(l *launcher.Launcher, cmd *cobra.Command, args []string) error {
			id, err := l.Revoke(cmd.Context(), approval.ChannelTadactl, args[0],
				"revoked by "+permit.Person())
			if err != nil {
				return err
			}
			return c.say(map[string]any{"id": id, "revoked": true}, "revoked %s\n", id)
		}))
}

// granted prints what is granted from now on.
func (c *ctl) granted(g approval.Grant) error {
	if c.json {
		return c.printJSON(map[string]any{"id": g.Envelope, "decision": "approved",
			"grant": standingOf(g)})
	}
	if choice, ok := plan.Chosen(g.Payload); ok {
		_, err := fmt.Fprintf(c.out, "approved %s, and until it is revoked in %q: %s (grant %s)\n",
			g.Envelope, workspaceOf(g.Payload), inert(choice.Text()), g.ID)
		return err
	}
	if g.Lasting {
		_, err := fmt.Fprintf(c.out, "approved %s: until it is revoked (grant %s)\n", g.Envelope,
			g.ID)
		return err
	}
	what := "this plan may run"
	if tool, ok := plan.ForTool(g.Payload); ok {
		what = "the tool " + inert(tool) + ", with any input, may be called"
	}
	_, err := fmt.Fprintf(c.out, "approved %s: %s %s until %s (grant %s)\n",
		g.Envelope, what, audit.Plural(g.Uses, "time"), g.Expires.Local().Format(time.DateTime),
		g.ID)
	return err
}
