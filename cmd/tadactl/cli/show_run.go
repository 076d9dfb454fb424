package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/state"
)

// showRun prints what the record has about one run; notFound is the error if there is none.
func (c *ctl) showRun(l *launcher.Launcher, id string, notFound error) error {
	r, err := l.Past(id)
	if errors.Is(err, state.ErrNoSuch) {
		return notFound
	}
	if err != nil {
		return err
	}
	var entries []json.RawMessage
	if err := c.doubt(l); err != nil {
		return err
	}
	touched, err := l.Touched(r)
	if !c.json {
		c.printRun(r)
		c.printTouched(r, touched, err)
	}
	entry := c.printer(l)
	for e, err := range l.About(r) {
		if c.setApart(err) {
			continue
		}
		if err != nil {
			return &exitError{err, exit.Tampered}
		}
		if !c.json {
			if err := entry(e); err != nil {
				return err
			}
			continue
		}
		b, err := json.Marshal(c.entryFacts(e))
		if err != nil {
			return err
		}
		entries = append(entries, b)
	}
	connections, more, err := l.Connections(r)
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(map[string]any{"session": r, "entries": entries, "effects": touched,
			"connections": connections, "connections_left": more})
	}
	return c.printConnections(connections, more)
}

func (c *ctl) printRun(r past.Run) {
	state := r.State
	if exit, known := r.Exit(); known {
		state = fmt.Sprintf("%s, exit status %d", state, exit)
	}
	if r.Paused {
		state += ", stopped until the freeze of this machine ends"
	}
	if r.TimedOut {
		state += ", stopped after its time limit"
	}
	if r.Revived {
		state += "; it was reported lost before, by mistake"
	}
	for _, f := range []struct{ name, value string }{
		{"session", r.ID}, {"command", inert(cmp.Or(r.Inside, r.Command))},
		{"folder", inert(r.Dir)}, {"agent", r.Agent}, {"work item", r.WorkItem},
		{"began", r.Began.Local().Format(time.DateTime)}, {"state", state}, {"verdict", r.Verdict},
		{"changes", r.RunChanges.String()},
		{"authority", r.Authority},
		{"approval", r.Envelope}, {"enforced", r.Level}, {"network", r.Network},
		{"unproven", r.Unproven},
	} {
		if f.value != "" {
			fmt.Fprintf(c.out, "%-10s %s\n", f.name, visible(f.value))
		}
	}
}

// mostTouched is how many names of a kind are printed; --json has all.
const mostTouched = 6

// printTouched lists what the plan of a run touches, by the record.
func (c *ctl) printTouched(r past.Run, touched map[string][]string, err error) {
	if err != nil && r.Plan != "" {
		fmt.Fprintf(c.out, "%-10s not known: %v\n", "plan", err)
	}
	for _, kind := range []struct{ name, word string }{{"exec", "runs"}, {"read", "reads"},
		{"write", "writes"}, {"delete", "deletes"}, {"net", "contacts"}} {
		names, more := touched[kind.name], 0
		if len(names) > mostTouched {
			names, more = names[:mostTouched], len(names)-mostTouched
		}
		for i, name := range names {
			if name == r.Dir {
				name = "."
			}
			name = strings.TrimPrefix(name, r.Dir+"/")
			if i == len(names)-1 && more > 0 {
				name += fmt.Sprintf(" and %d more", more)
			}
			fmt.Fprintf(c.out, "%-10s %s\n", kind.word, visible(name))
			kind.word = ""
		}
	}
}

// printConnections lists what a run did with the network.
func (c *ctl) printConnections(list []past.Connection, more int) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintln(c.out, "\nnetwork")
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for _, n := range list {
		result := n.Result()
		if n.Accepted > 0 {
			result = fmt.Sprintf("accepted %d, %s", n.Accepted, result)
		}
		if n.Count > 1 {
			result += fmt.Sprintf(" (%s)", audit.Plural(n.Count, "time"))
		}
		pid := ""
		if n.PID != 0 {
			pid = strconv.Itoa(n.PID)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%s\t%s\n", n.Time.Local().Format(time.TimeOnly),
			n.Kind, visible(n.Host), visible(n.Address), visible(filepath.Base("/"+n.Program)), pid,
			visible(result))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if more > 0 {
		fmt.Fprintf(c.out, "  and %d more\n", more)
	}
	return nil
}
