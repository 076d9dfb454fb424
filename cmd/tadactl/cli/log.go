package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/play"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/state"
)

// A wanted says which runs are asked for. Its zero value wants all.
type wanted struct {
	agent, item, authority, outcome, session string
	since, until                             string
}

func (w *wanted) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&w.agent, "agent", "", "only runs for this agent")
	f.StringVar(&w.item, "work-item", "", "only runs for this work item")
	f.StringVar(&w.authority, "authority", "", "only runs allowed by: policy, approval, grant")
	f.StringVar(&w.outcome, "outcome", "", "only runs with this outcome: ok, error, an exit status, refused, waiting, approved, denied, withdrawn, expired, failed, running, lost")
	f.StringVar(&w.session, "session", "", "only runs whose id begins with this")
	f.StringVar(&w.since, "since", "", "only from this time on: 2026-03-01, 2026-03-01T12:00:00Z, or 2h, 7d (ago)")
	f.StringVar(&w.until, "until", "", "only before this time")
}

// any tells whether runs are chosen by more than their time.
func (w *wanted) any() bool {
	return w.agent+w.item+w.authority+w.outcome+w.session != ""
}

// span reads the times.
func (w *wanted) span() (since, until time.Time, err error) {
	if since, err = parseTime(w.since, time.Now()); err == nil {
		until, err = parseTime(w.until, time.Now())
	}
	return since, until, err
}

// parseTime reads a day, a time, or how long ago it was.
func parseTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime, "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	if ago, err := parseAge(text); err == nil {
		return now.Add(-ago), nil
	}
	return time.Time{}, &usageError{fmt.Errorf("cannot parse %q as a time; examples: 2026-03-01, 2026-03-01T12:00:00Z, 2h, 7d", text)}
}

// runs are those that are wanted.
func (w *wanted) runs(l *launcher.Launcher) ([]launcher.Past, error) {
	since, until, err := w.span()
	if err != nil {
		return nil, err
	}
	list, err := l.Runs()
	return slices.DeleteFunc(list, func(r launcher.Past) bool {
		return r.Began.Before(since) || !until.IsZero() && !r.Began.Before(until) || !w.match(r)
	}), err
}

func (w *wanted) match(r launcher.Past) bool {
	return (w.agent == "" || strings.TrimPrefix(r.Agent, "?") == w.agent) &&
		(w.item == "" || r.WorkItem == w.item) &&
		(w.authority == "" || r.Authority == w.authority) &&
		(w.outcome == "" || slices.Contains(outcomes(r), w.outcome)) &&
		strings.HasPrefix(r.ID, w.session)
}

// outcomes are the words for what came of a run.
func outcomes(r launcher.Past) []string {
	exit, known := r.Exit()
	if !known {
		return []string{r.State}
	}
	word := "error"
	if exit == 0 {
		word = "ok"
	}
	return []string{r.State, word, strconv.Itoa(exit)}
}

func (c *ctl) log() *cobra.Command {
	var w wanted
	var kind, grep string
	var filter audit.Filter
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Print the log, oldest first: who ran what, when, and what allowed it",
		Long: "Print the log, oldest first: who ran what, when, what allowed it and how it ended. With\n" +
			"--grep, print the lines of sessions that contain a text instead. This does not verify the\n" +
			"log; `tadactl audit verify` does.\n\n" + kindsHelp(),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := c.open()
			if err != nil {
				return err
			}
			if grep != "" {
				return c.grep(cmd.Context(), l, &w, grep)
			}
			if kind != "" {
				filter.Kinds = []string{kind, strings.TrimSuffix(kind, ".") + "."}
			}
			if err := w.narrow(l, &filter); err != nil {
				return err
			}
			entry := c.printer(l)
			if err := c.doubt(l); err != nil {
				return err
			}
			for e, err := range l.Entries(filter) {
				if errors.Is(err, fs.ErrNotExist) {
					return nil
				}
				if c.setApart(err) {
					continue
				}
				if err != nil {
					return &exitError{err, launcher.ExitTampered}
				}
				if err := entry(e); err != nil {
					return err
				}
			}
			return nil
		},
	}
	w.flags(cmd)
	cmd.Flags().StringVar(&kind, "kind", "", "only entries of this kind: exec, exec.end, ...; KINDS above lists them")
	cmd.Flags().StringVar(&filter.Text, "text", "", "only entries that contain this text")
	cmd.Flags().StringVar(&grep, "grep", "", "print the lines of sessions that contain this text, as they were shown")
	cmd.Flags().IntVarP(&filter.Last, "last", "n", 0, "only the newest `N`")
	return verb(cmd, "77   the record was changed")
}

// narrow makes a filter take only the entries about the runs that are wanted, and about the
// questions that led to them.
func (w *wanted) narrow(l *launcher.Launcher, f *audit.Filter) (err error) {
	if f.Since, f.Until, err = w.span(); err != nil || !w.any() {
		return err
	}
	about := map[string]bool{}
	runs, err := l.Runs()
	for _, r := range runs {
		if w.match(r) {
			about[r.ID] = true
			about[r.Envelope] = r.Envelope != ""
		}
	}
	f.Match = func(e audit.Entry) bool {
		var body struct {
			SID      string
			Envelope string `json:"envelope_id"`
		}
		return json.Unmarshal(e.Body, &body) == nil && (about[body.SID] || body.SID == "" && about[body.Envelope])
	}
	return err
}

// printer prints entries, and says of a run that was reported lost by mistake that it went on.
func (c *ctl) printer(l *launcher.Launcher) func(audit.Entry) error {
	var revived map[string]bool
	return func(e audit.Entry) error {
		if e.Kind != audit.KindOrphan || c.json {
			return c.printEntry(e, "")
		}
		if revived == nil {
			runs, err := l.Runs()
			if err != nil {
				return err
			}
			revived = map[string]bool{}
			for _, r := range runs {
				revived[r.ID] = r.Revived
			}
		}
		var body struct{ SID string }
		if json.Unmarshal(e.Body, &body) == nil && revived[body.SID] {
			return c.printEntry(e, "by mistake: the run continued, see its later entries")
		}
		return c.printEntry(e, "")
	}
}

// printEntry prints one entry: what it is, the members of its body that a reader looks for, and a
// note.
func (c *ctl) printEntry(e audit.Entry, note string) error {
	if c.json {
		return c.printJSON(c.entryFacts(e))
	}
	var body map[string]any
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return err
	}
	line := fmt.Sprintf("%6d  %s  %-18s", e.Seq, e.Time.Local().Format(time.DateTime), e.Kind)
	for _, name := range []string{"sid", "envelope_id", "agent", "verdict", "authority", "outcome", "approver", "channel", "status", "timed_out", "by", "order", "lost", "code", "level", "reason", "inside", "command"} {
		if name == "command" && body["inside"] != nil {
			continue // its program's text around it is told with --json
		}
		if v, ok := body[name]; ok && v != "" && v != false {
			line += fmt.Sprintf("  %s=%s", name, inert(fmt.Sprint(v)))
		}
	}
	if hash, _ := body["plan_hash"].(string); hash != "" {
		line += "  plan=" + inert(plan.Prefix(hash)) // as the question showed it
	}
	if note != "" {
		line += "  (" + note + ")"
	}
	if why := c.unproven(e); why != "" {
		line += "  UNPROVEN (" + inert(why) + ")"
	}
	_, err := fmt.Fprintln(c.out, line)
	return err
}

func (c *ctl) entryFacts(e audit.Entry) map[string]any {
	facts := map[string]any{"seq": e.Seq, "time": e.Time.Format(time.RFC3339Nano), "kind": e.Kind, "body": json.RawMessage(e.Body)}
	if why := c.unproven(e); why != "" {
		facts["unproven"] = why
	}
	return facts
}

// doubt reads which parts of the log are not proven, for [ctl.printEntry] to mark.
func (c *ctl) doubt(l *launcher.Launcher) (err error) {
	c.doubts, err = l.Gaps()
	return err
}

// setApart reports whether an error is about bytes that the log itself sets apart.
func (c *ctl) setApart(err error) bool {
	var bad *audit.BadEntry
	return errors.As(err, &bad) && slices.ContainsFunc(c.doubts, func(g audit.Gap) bool { return g.Holds(bad.Offset) })
}

// unproven says why an entry is not proven, "" for one that is.
func (c *ctl) unproven(e audit.Entry) string {
	for _, g := range c.doubts {
		if g.Covers(e.Offset) {
			return g.Unproven()
		}
	}
	return ""
}

// grep prints the lines of the sessions that contain the text, as a person saw them.
func (c *ctl) grep(ctx context.Context, l *launcher.Launcher, w *wanted, text string) error {
	runs, err := w.runs(l)
	if err != nil {
		return err
	}
	for _, r := range runs {
		f, err := l.Transcript(r.ID)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was refused, or dropped
		}
		if err != nil {
			return err
		}
		g := finder{text: []byte(text), found: func(n int, line string) error { return c.printLine(r, n, line) }}
		err = play.Text(ctx, &g, f, play.TextOptions{})
		f.Close()
		var bad *audit.BadEntry
		if errors.As(err, &bad) && bad.Torn {
			err = nil // it still runs, or its recorder died
		}
		if err = errors.Join(err, g.line()); err != nil {
			return unproven(err)
		}
	}
	return nil
}

func (c *ctl) printLine(r launcher.Past, n int, line string) error {
	if c.json {
		return c.printJSON(map[string]any{"id": r.ID, "began": r.Began.Format(time.RFC3339Nano), "line": n, "text": line})
	}
	_, err := fmt.Fprintf(c.out, "%s:%d:%s\n", r.ID, n, line)
	return err
}

// A finder is written a text, and tells the lines that contain another.
type finder struct {
	text  []byte
	found func(n int, line string) error
	rest  []byte
	n     int
}

func (g *finder) Write(p []byte) (int, error) {
	g.rest = append(g.rest, p...)
	for {
		i := bytes.IndexByte(g.rest, '\n')
		if i < 0 {
			return len(p), nil
		}
		line := g.rest[:i]
		g.rest = g.rest[i+1:]
		if err := g.look(line); err != nil {
			return 0, err
		}
	}
}

// line looks at what came behind the last end of a line.
func (g *finder) line() error {
	if len(g.rest) == 0 {
		return nil
	}
	return g.look(g.rest)
}

func (g *finder) look(line []byte) error {
	g.n++
	if !bytes.Contains(line, g.text) {
		return nil
	}
	return g.found(g.n, string(line))
}

// showRun prints what the record tells of one run; notFound is the error when there is none.
func (c *ctl) showRun(l *launcher.Launcher, id string, notFound error) error {
	r, err := l.Past(id)
	if errors.Is(err, state.ErrNoSuch) {
		return notFound
	}
	if err != nil {
		return err
	}
	var entries []json.RawMessage
	w := wanted{session: r.ID}
	var f audit.Filter
	if err := w.narrow(l, &f); err != nil {
		return err
	}
	if err := c.doubt(l); err != nil {
		return err
	}
	if !c.json {
		c.printRun(r)
	}
	entry := c.printer(l)
	for e, err := range l.Entries(f) {
		if c.setApart(err) {
			continue
		}
		if err != nil {
			return &exitError{err, launcher.ExitTampered}
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
	connections, more, err := l.Connections(r.ID)
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(map[string]any{"session": r, "entries": entries, "connections": connections, "connections_left": more})
	}
	return c.printConnections(connections, more)
}

func (c *ctl) printRun(r launcher.Past) {
	state := r.State
	if exit, known := r.Exit(); known {
		state = fmt.Sprintf("%s, exit status %d", state, exit)
	}
	if r.TimedOut {
		state += ", stopped after its time limit"
	}
	if r.Revived {
		state += "; it was reported lost before, by mistake"
	}
	for _, f := range []struct{ name, value string }{
		{"session", r.ID}, {"command", inert(cmp.Or(r.Inside, r.Command))}, {"folder", inert(r.Dir)}, {"agent", r.Agent}, {"work item", r.WorkItem},
		{"began", r.Began.Local().Format(time.DateTime)}, {"state", state}, {"verdict", r.Verdict}, {"authority", r.Authority},
		{"approval", r.Envelope}, {"enforced", r.Level}, {"unproven", r.Unproven},
	} {
		if f.value != "" {
			fmt.Fprintf(c.out, "%-10s %s\n", f.name, visible(f.value))
		}
	}
}

// visible shows what a terminal would act on.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if strconv.IsPrint(r) {
			return r
		}
		return '\ufffd'
	}, s)
}
