package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
)

// OneLine returns a command as a list shows it, on one line: of a long one, such as an agent's
// program sends, the beginning and the end. tadactl show ID and --json have all of it.
func OneLine(command string, utf8 bool) string {
	const room = 400
	var line string
	for _, p := range render.Shorten(command, nil, room) {
		if p.Cut > 0 {
			line += fmt.Sprintf(" [%s cut] ", audit.Plural(p.Cut, "char"))
		}
		line += p.Text
	}
	return render.Quote(line, utf8)
}

// Loose are the rules of what would be allowed, was asked about or denied, and nobody accepted.
func (r Replayed) Loose() (rules []string) {
	for _, g := range r.Changes {
		if g.Allows() && !g.Accepted {
			rules = append(rules, g.Rules...)
		}
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// Table is a replay for people.
func (r Replayed) Table(utf8 bool) string {
	text := fmt.Sprintf("%s of %s judged again; %d have another verdict\n",
		audit.Plural(r.Runs, "run"), audit.Plural(r.Plans, "plan"), r.Runs-r.Same)
	text += changesTable(r.Changes, utf8)
	text += r.skippedTable()
	if r.Earlier > 0 {
		text += fmt.Sprintf("\nthe record has another policy than the one in force for %s\n",
			audit.Plural(r.Earlier, "run"))
	}
	return text
}

// skippedTable has the runs that could not be judged, by reason.
func (r Replayed) skippedTable() string {
	text := ""
	if len(r.Skipped) > 0 {
		text = "\nnot judged again:\n"
	}
	for _, s := range r.Skipped {
		text += fmt.Sprintf("  %5d  %s\n", s.Count, render.Inert(s.Why))
	}
	return text
}

// ShadowTable is for people what Shadowed has found.
func (r Replayed) ShadowTable(utf8 bool) string {
	if r.Runs == 0 && len(r.Skipped) == 0 {
		return "no run was judged by a shadow policy; to begin: tadactl policy shadow FILE\n"
	}
	return fmt.Sprintf("%s; the shadow policy had another verdict on %d\n",
		audit.Plural(r.Runs, "run"), r.Runs-r.Same) +
		changesTable(r.Changes, utf8) + r.skippedTable()
}

// changesTable has groups of runs with another verdict.
func changesTable(list []*Changed, utf8 bool) string {
	var text strings.Builder
	for _, g := range list {
		fmt.Fprintf(&text, "\n%s -> %s  %d  %s\n", g.From, g.To, g.Count,
			strings.Join(g.Rules, ", "))
		for _, rule := range g.By {
			fmt.Fprintf(&text, "    by %s\n", render.Inert(rule))
		}
		for _, e := range g.Examples {
			where := render.Quote(e.Dir, utf8)
			if e.Machine != "" {
				where = e.Machine + "  " + where
			}
			fmt.Fprintf(&text, "    %s  %s  %s\n", e.Time.Local().Format("2 Jan 15:04"), where,
				OneLine(e.Command, utf8))
		}
	}
	return text.String()
}
