package cli

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/past"
)

// learnConnections proposes rules for the connections that one session was refused.
func (c *ctl) learnConnections(l *launcher.Launcher, id string) error {
	run, err := l.Past(id)
	if err != nil {
		return err
	}
	list, _, err := l.Connections(run)
	if err != nil {
		return err
	}
	lessons := past.Learn(list)
	if c.json {
		return c.printJSON(map[string]any{"session": run.ID, "lessons": lessons})
	}
	return c.printLessons(l.Home().Config(), lessons)
}

func (c *ctl) printLessons(config string, lessons []past.Lesson) error {
	if len(lessons) == 0 {
		_, err := fmt.Fprintln(c.out, "no connection was blocked")
		return err
	}
	var rules, rest []string
	for _, l := range lessons {
		who := make([]string, len(l.Programs))
		for i, p := range l.Programs {
			who[i] = visible(filepath.Base(p))
		}
		note := visible(fmt.Sprintf("%s, %s: %s", audit.Plural(l.Count, "time"),
			strings.Join(who, " "), l.Why))
		if len(who) == 0 {
			note = visible(fmt.Sprintf("%s: %s", audit.Plural(l.Count, "time"), l.Why))
		}
		switch {
		case l.Rule != "":
			rules = append(rules, fmt.Sprintf("    - %-40s # %s", strconv.Quote(l.Rule), note))
		case l.Port != "":
			rest = append(rest, fmt.Sprintf("# tada-run --publish %s: %s", l.Port, note))
		default:
			rest = append(rest, fmt.Sprintf("# no rule for %s: %s", visible(l.Host), note))
		}
	}
	if len(rules) > 0 {
		fmt.Fprintf(c.out, "# %s\nnetwork:\n  allow:\n%s\n", config, strings.Join(rules, "\n"))
	}
	for _, line := range rest {
		fmt.Fprintln(c.out, line)
	}
	return nil
}
