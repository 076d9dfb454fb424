package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard"
)

func (c *ctl) policyExplain() *cobra.Command {
	return verb("explain COMMAND", cobra.ExactArgs(1), func(_ *cobra.Command, args []string) error {
		l, dir, err := c.judgeHere()
		if err != nil {
			return err
		}
		j, err := l.Judge(launcher.Request{Env: os.Environ(), Dir: dir,
			Shell: shell.Call{Text: args[0], Name: "tada-run"}})
		if err != nil {
			return err
		}
		defer j.Close()
		e := j.Explain()
		if c.json {
			return c.printJSON(explainedFacts(e))
		}
		c.printExplained(e)
		return nil
	})
}

// explainedFacts is an explanation as --json prints it.
func explainedFacts(e launcher.Explained) map[string]any {
	fitting, ways, choices, stakes := []any{}, []any{}, []any{}, []string{}
	for _, s := range atStake(e) {
		stakes = append(stakes, s.Name)
	}
	for _, f := range e.Fitting {
		fitting = append(fitting, map[string]any{"key": f.Key, "rule": f.Entry,
			"verdict": f.Verdict, "source": f.Source})
	}
	for _, w := range e.Ways {
		ways = append(ways, map[string]any{"key": w.Key, "rule": w.Entry})
	}
	for _, ch := range e.Choices {
		choices = append(choices, map[string]any{"covers": ch.Text(), "at_most": ch.AtMost})
	}
	return map[string]any{"verdict": e.Verdict, "risk": e.Risk, "reasons": e.Reasons,
		"at_stake": stakes, "fitting": fitting, "allowed_by": ways, "grants": choices}
}

// atStake returns what is at stake by the rules that decide, each once. What only the settings say
// is at stake where they refuse.
func atStake(e launcher.Explained) (list []pathguard.Stake) {
	for _, r := range e.Reasons {
		s := pathguard.StakeOf(r.Rule)
		refused := e.Verdict == pathguard.Deny.String()
		if r.Verdict == e.Verdict && s.Name != "" && (s.Name != "settings" || refused) &&
			!slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// printExplained prints what decides, what else fits, and what would allow it.
func (c *ctl) printExplained(e launcher.Explained) {
	fmt.Fprintf(c.out, "%s, risk %d\n", e.Verdict, e.Risk)
	if !slices.ContainsFunc(e.Reasons,
		func(r launcher.ReportReason) bool { return r.Verdict == e.Verdict }) {
		fmt.Fprintln(c.out, "decides  the built-in policy: no rule speaks against it")
	}
	for _, r := range e.Reasons {
		label := "also"
		if r.Verdict == e.Verdict {
			label = "decides"
		}
		fmt.Fprintf(c.out, "%-8s %-6s %s  [%s]\n", label, r.Verdict, notice.Visible(r.Message),
			r.Rule)
	}
	for _, s := range atStake(e) {
		fmt.Fprintf(c.out, "%-8s it %s\n", "at stake", s.Text)
	}
	for _, f := range e.Fitting {
		fmt.Fprintf(c.out, "%-8s %-6s %s: %s  %s\n", "fits", f.Verdict, f.Key, f.Entry,
			render.Inert(f.Source))
	}
	c.printWays(e)
}

func (c *ctl) printWays(e launcher.Explained) {
	if e.Verdict != pathguard.Ask.String() {
		return
	}
	if len(e.Ways) == 0 {
		fmt.Fprintln(c.out, "no rule of the configuration would allow it")
	} else {
		fmt.Fprintln(c.out, "would be allowed by, with tadactl policy edit:")
		for _, w := range e.Ways {
			section, list, _ := strings.Cut(w.Key, ".")
			fmt.Fprintf(c.out, "  %s: {%s: [%s]}\n", section, list, w.Entry)
		}
	}
	if len(e.Choices) > 0 {
		fmt.Fprintln(c.out, "or from now on in this workspace, with the answer to the question:")
		for _, ch := range e.Choices {
			fmt.Fprintf(c.out, "  %s\n", render.Inert(ch.Text()))
		}
	}
}
