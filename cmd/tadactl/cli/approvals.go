package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
)

func (c *ctl) approvals() *cobra.Command {
	cmd := &cobra.Command{Use: "approvals"}
	cmd.AddCommand(c.stats(), c.channels(), c.rebuild(), c.canary())
	return cmd
}

func (c *ctl) stats() *cobra.Command {
	var last time.Duration
	cmd := verb("stats", cobra.NoArgs, c.reads(func(l *launcher.Launcher, _ *cobra.Command,
		_ []string) error {
		since := time.Time{}
		if last > 0 {
			since = time.Now().Add(-last)
		}
		s, err := l.ApprovalStats(since)
		if err != nil {
			return err
		}
		if c.json {
			return c.printJSON(healthOf(s))
		}
		return c.printStats(s)
	}))
	cmd.Flags().DurationVar(&last, "last", 0, "")
	return cmd
}

// A health is the statistics as --json prints them.
type health struct {
	Asked       int                  `json:"asked"`
	Approved    int                  `json:"approved"`
	Denied      int                  `json:"denied"`
	Expired     int                  `json:"expired"`
	Cancelled   int                  `json:"cancelled"`
	Used        int                  `json:"used"`
	ByGrant     int                  `json:"by_grant"`
	Share       float64              `json:"approved_share"`
	MedianMS    int64                `json:"median_ms"`
	SubOne      int                  `json:"under_one_second"`
	Hasty       int                  `json:"too_fast_to_be_read"`
	Callers     int                  `json:"refused_callers"`
	Brakes      int                  `json:"brakes"`
	Canaries    int                  `json:"canaries"`
	Fooled      int                  `json:"canaries_approved"`
	NeverDenied []approval.RuleCount `json:"never_denied"`
}

func healthOf(s approval.Stats) health {
	return health{s.Asked, s.Approved, s.Denied, s.Expired, s.Cancelled, s.Used, s.ByGrant,
		s.ApprovedShare(),
		s.Median.Milliseconds(), s.SubOne, s.Hasty, s.Callers, s.Brakes, s.Canaries, s.Fooled,
		s.NeverDenied}
}

func (c *ctl) printStats(s approval.Stats) error {
	for _, row := range []struct {
		name  string
		value any
		note  string
	}{
		{"asked", s.Asked, ""},
		{"approved", s.Approved, fmt.Sprintf("%.0f %% of the answers", 100*s.ApprovedShare())},
		{"denied", s.Denied, ""},
		{"expired", s.Expired, "not answered in time"},
		{"withdrawn", s.Cancelled, ""},
		{"used", s.Used, "runs that an approval permitted"},
		{"by grant", s.ByGrant, "runs that a grant permitted"},
		{"median time", s.Median.Round(10 * time.Millisecond), "from question to answer"},
		{"under 1 s", s.SubOne, "approved too fast to have been read"},
		{"too fast", s.Hasty, "answers rejected: too fast to have read the question"},
		{"not a person", s.Callers, "answers rejected: from an agent, or without a terminal"},
		{"slowed down", s.Brakes,
			"times that approvals came so fast that the next answers had to be typed"},
		{"canaries", s.Canaries, fmt.Sprintf("%d of them approved", s.Fooled)},
	} {
		if _, err := fmt.Fprintf(c.out, "%-12s %8v  %s\n", row.name, row.value,
			row.note); err != nil {
			return err
		}
	}
	for _, r := range s.NeverDenied {
		fmt.Fprintf(c.out, "%-12s %8d  %s: never denied; consider a policy rule that allows it\n",
			"approved", r.Asked, inert(r.Rule))
	}
	return nil
}

func (c *ctl) rebuild() *cobra.Command {
	return verb("rebuild", cobra.NoArgs, c.opened(func(l *launcher.Launcher, cmd *cobra.Command,
		_ []string) error {
		if l.Home().Joined() {
			return c.fleetRebuild()
		}
		r, err := l.RebuildApprovals(cmd.Context())
		if err != nil {
			return err
		}
		if c.json {
			return c.printJSON(map[string]any{"aside": r.Aside, "dead": r.Dead,
				"expired": r.Expired, "runs": r.Runs, "grants": r.Grants})
		}
		fmt.Fprintf(c.out, "rebuilt: %s kept, %d expired, %s ended, %s without an end\n",
			audit.Plural(r.Dead, "answered question"), r.Expired, audit.Plural(r.Grants,
				"grant"), audit.Plural(r.Runs, "run"))
		if r.Aside != "" {
			fmt.Fprintf(c.out, "the old file is kept as %s\n", r.Aside)
		}
		fmt.Fprintln(c.out, "one-time codes must be set up again: tadactl key totp")
		return nil
	}))
}

func (c *ctl) canary() *cobra.Command {
	var agent string
	cmd := verb("canary", cobra.NoArgs, c.opened(func(l *launcher.Launcher, cmd *cobra.Command,
		_ []string) error {
		id, err := l.Canary(cmd.Context(), agent)
		if err != nil {
			return err
		}
		return c.say(map[string]string{"id": id}, "%v\n", id)
	}))
	cmd.Flags().StringVar(&agent, "agent", "?agent", "")
	return cmd
}
