package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/cmd/tadactl/inbox"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/replay"
	"github.com/tada-run/tada-run/pathguard"
)

func (c *ctl) policyLearn() *cobra.Command {
	var since, unused, workspace string
	cmd := verb("learn [ID]", cobra.MaximumNArgs(1), c.opened(func(l *launcher.Launcher,
		cmd *cobra.Command, args []string) error {
		if err := c.sayMissing(l); err != nil {
			return err
		}
		if len(args) == 1 {
			return c.learnConnections(l, args[0])
		}
		now := time.Now()
		from, err := parseTime(since, now)
		if err != nil {
			return err
		}
		before, err := parseTime(unused, now)
		if err != nil {
			return err
		}
		if workspace != "" {
			return c.learnTighter(l, workspace, before)
		}
		return c.learn(cmd.Context(), l, from, before)
	}))
	cmd.Flags().StringVar(&since, "since", "7d", "")
	cmd.Flags().StringVar(&unused, "unused", "90d", "")
	cmd.Flags().StringVar(&workspace, "workspace", "", "")
	return cmd
}

func (c *ctl) learn(ctx context.Context, l *launcher.Launcher, from, before time.Time) error {
	lessons, err := l.Recorded().Learned(from)
	if err != nil {
		return err
	}
	unneeded, known, err := l.Recorded().Unneeded(ctx, before)
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(learnedFacts(lessons, unneeded, known))
	}
	for i, p := range lessons.Rules {
		c.printProposal(i+1, p)
	}
	if len(lessons.Rules) == 0 {
		fmt.Fprintln(c.out, "no rule would have spared a question that you answered with yes")
	}
	for _, s := range lessons.Left {
		fmt.Fprintf(c.out, "no rule for %s: %s\n", audit.Plural(s.Count, "answered question"),
			s.Why)
	}
	c.printUnneeded(unneeded, known, before)
	if len(lessons.Rules) == 0 || !term.IsTerminal(int(c.in.Fd())) {
		return nil
	}
	return c.chooseRules(lessons.Rules)
}

// learnTighter prints a configuration for a workspace, without what its runs have not needed.
func (c *ctl) learnTighter(l *launcher.Launcher, dir string, since time.Time) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	t, file, ok, err := l.Tighter(dir, since)
	day := since.Local().Format("2 Jan 2006")
	switch {
	case err != nil:
		return err
	case !ok:
		return failf(1, "cannot say what %q has not needed since %s: the record does not go back "+
			"as far, has no run there, or one without a plan; try a later --unused", dir, day)
	case c.json:
		return c.printJSON(map[string]any{"file": file, "runs": t.Runs, "config": t.Config})
	case t.Config == "":
		fmt.Fprintf(c.out, "# needed since %s: everything that the policy allows\n", day)
		return nil
	}
	fmt.Fprintf(c.out, "# for %s: what %s since %s did not need\n%s", render.Inert(file),
		audit.Plural(t.Runs, "run"), day, t.Config)
	return nil
}

func (c *ctl) printProposal(n int, p replay.Proposal) {
	if p.Last.IsZero() {
		fmt.Fprintf(c.out, "%d. refused %s", n, audit.Plural(p.Asked, "time"))
	} else {
		fmt.Fprintf(c.out, "%d. allowed %s, last on %s", n, audit.Plural(p.Asked, "time"),
			p.Last.Local().Format("2 Jan"))
	}
	fmt.Fprintf(c.out, "\n   %s: [%s]\n", p.Key, p.Rule)
	for _, text := range p.Examples {
		fmt.Fprintf(c.out, "   for    %s\n", brief(text))
	}
	for i, e := range p.Also {
		if i == 3 {
			fmt.Fprintf(c.out, "   also   %d more\n", len(p.Also)-i)
			break
		}
		fmt.Fprintf(c.out, "   also   %s, which you have not answered\n", brief(e.Command))
	}
	fmt.Fprintf(c.out, "   could  allow %s\n\n", render.Inert(p.AtMost))
}

func (c *ctl) printUnneeded(u replay.Unneeded, known bool, since time.Time) {
	day := since.Local().Format("2 Jan 2006")
	if !known {
		return
	}
	for _, r := range u.Rules {
		fmt.Fprintf(c.out, "not needed since %s: %s: [%s]  %s\n", day, r.Key,
			render.Inert(r.Entry), render.Inert(r.Source))
	}
	for _, g := range u.Grants {
		fmt.Fprintf(c.out, "not used since %s: %s; to revoke it: tadactl grants revoke %s\n", day,
			inbox.Short(g.Payload, 120), g.ID)
	}
	if len(u.Registries) > 0 {
		fmt.Fprintf(c.out, "not asked for since %s: network.registries: %s\n", day,
			strings.Join(u.Registries, ", "))
	}
}

func learnedFacts(lessons replay.Lessons, u replay.Unneeded, known bool) map[string]any {
	rules, grants := []any{}, []standing{}
	for _, r := range u.Rules {
		rules = append(rules, map[string]any{"key": r.Key, "rule": r.Entry, "source": r.Source})
	}
	for _, g := range u.Grants {
		grants = append(grants, standingOf(g))
	}
	return map[string]any{"rules": append([]replay.Proposal{}, lessons.Rules...),
		"left": append([]replay.Skipped{}, lessons.Left...), "unneeded_known": known,
		"unneeded_rules": rules, "unneeded_grants": grants,
		"unneeded_registries": append([]string{}, u.Registries...)}
}

// chooseRules asks which rules to add, and adds them as an edit that a person accepts.
func (c *ctl) chooseRules(list []replay.Proposal) error {
	s, err := c.editSession()
	if err != nil {
		return err
	}
	defer s.close()
	chosen, err := s.numbers("\nadd to the configuration (1,2 or all; Enter for none): ", len(list))
	if err != nil || len(chosen) == 0 {
		return s.end(err)
	}
	var rules []pathguard.Way
	for _, n := range chosen {
		rules = append(rules, pathguard.Way{Key: list[n].Key, Entry: list[n].Rule})
	}
	return s.end(s.add(rules))
}

// numbers reads numbers of a list, from 1, and returns them from 0, each once.
func (s *editSession) numbers(prompt string, most int) (list []int, err error) {
	for {
		answer, err := s.line(prompt)
		if err != nil {
			return nil, err
		}
		if list, ok := parseNumbers(answer, most); ok {
			return list, nil
		}
		fmt.Fprintf(s.c.out, "numbers from 1 to %d, with commas between\n", most)
	}
}

func parseNumbers(answer string, most int) (list []int, ok bool) {
	seen := map[int]bool{}
	for word := range strings.FieldsFuncSeq(answer,
		func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(word)
		switch {
		case word == "all":
			for n := range most {
				seen[n] = true
			}
		case err != nil || n < 1 || n > most:
			return nil, false
		default:
			seen[n-1] = true
		}
	}
	for n := range most {
		if seen[n] {
			list = append(list, n)
		}
	}
	return list, true
}
