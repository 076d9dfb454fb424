package cli

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/past"
)

// A wanted says which runs are selected. Its zero value selects all.
type wanted struct {
	agent, item, authority, outcome, session string
	folder, verdict                          string
	since, until                             string
	touched
}

func (w *wanted) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&w.agent, "agent", "", "only runs for this agent")
	f.StringVar(&w.item, "work-item", "", "only runs for this work item")
	f.StringVar(&w.authority, "authority", "", "only runs allowed by: policy, approval, grant")
	f.StringVar(&w.outcome, "outcome", "",
		"only runs with this outcome: ok, error, an exit status, refused, waiting, approved, "+
			"denied, withdrawn, expired, failed, running, lost")
	f.StringVar(&w.session, "session", "", "only runs whose id begins with this")
	f.StringVar(&w.folder, "folder", "", "only runs in this folder or below")
	f.StringVar(&w.verdict, "verdict", "", "only runs with this verdict: allow, ask, deny")
	f.StringVar(&w.program, "program", "", "only runs whose plan starts this program")
	f.StringVar(&w.file, "touches", "",
		"only runs whose plan reads, writes or deletes this file, or what is below this folder")
	f.StringVar(&w.host, "host", "", "only runs whose plan contacts this host")
	f.StringVar(&w.since, "since", "",
		"only from this time on: 2026-03-01, 2026-03-01T12:00:00Z, or 2h, 7d (ago)")
	f.StringVar(&w.until, "until", "", "only before this time")
}

// any reports whether runs are selected by more than their time.
func (w *wanted) any() bool {
	return w.agent+w.item+w.authority+w.outcome+w.session+w.folder+w.verdict != "" ||
		w.touched.any()
}

// prepare makes names that were typed those of the record, and finds the plans.
func (w *wanted) prepare(l *launcher.Launcher) (err error) {
	for _, name := range []*string{&w.folder, &w.file} {
		if *name, err = realName(*name); err != nil {
			return err
		}
	}
	w.folder = past.Recorded(w.folder)
	if w.touched.any() && w.plans == nil {
		w.plans, w.unknown = l.PlansThat(w.touched.match), map[string]bool{}
	}
	return nil
}

// realName is a name that was typed as the record has it; "" for none.
func realName(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	name, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(name); err == nil { // else it may be gone
		return real, nil
	}
	return name, nil
}

// span returns the times.
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
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime,
		"2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	if ago, err := parseAge(text); err == nil {
		return now.Add(-ago), nil
	}
	return time.Time{},
		usagef("cannot parse %q as a time; examples: 2026-03-01, 2026-03-01T12:00:00Z, 2h, 7d",
			text)
}

// runs returns the selected runs, oldest first.
func (w *wanted) runs(l *launcher.Launcher) ([]past.Run, error) {
	list, _, err := w.page(l, -1)
	return list, err
}

// page returns the newest of the selected runs, oldest first, and of the older ones those that have
// not ended: they can still be attached to, answered or killed. more is set if there are others. A
// negative number selects all.
func (w *wanted) page(l *launcher.Launcher, newest int) (list []past.Run, more bool,
	err error) {
	since, until, err := w.span()
	if err == nil {
		err = w.prepare(l)
	}
	if err != nil {
		return nil, false, err
	}
	chosen := func(r past.Run) bool {
		return !r.Began.Before(since) && (until.IsZero() || r.Began.Before(until)) && w.match(r)
	}
	list = []past.Run{}
	for r, err := range l.Newest(since) {
		if err != nil {
			slices.Reverse(list)
			return list, false, err
		}
		if !chosen(r) {
			continue
		}
		if more = len(list) == newest; more {
			break
		}
		list = append(list, r)
	}
	slices.Reverse(list)
	if !more {
		return list, false, nil
	}
	open, err := l.Open(list)
	open = slices.DeleteFunc(open, func(r past.Run) bool { return !chosen(r) })
	return slices.Concat(open, list), true, err
}

func (w *wanted) match(r past.Run) bool {
	return (w.agent == "" || r.IsOf(w.agent)) &&
		(w.item == "" || r.WorkItem == w.item) &&
		(w.authority == "" || r.Authority == w.authority) &&
		(w.folder == "" || covers([]string{w.folder}, r.Dir)) &&
		(w.verdict == "" || r.Verdict == w.verdict) &&
		(w.outcome == "" || slices.Contains(outcomes(r), w.outcome)) &&
		strings.HasPrefix(r.ID, w.session) && w.selects(r)
}

// outcomes returns the words for the outcome of a run.
func outcomes(r past.Run) []string {
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

// narrow makes a filter accept only the entries about the selected runs, and about the questions
// that led to them.
func (w *wanted) narrow(l *launcher.Launcher, f *audit.Filter) (err error) {
	if f.Since, f.Until, err = w.span(); err != nil || !w.any() {
		return err
	}
	if err := w.prepare(l); err != nil {
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
		return json.Unmarshal(e.Body, &body) == nil && (about[body.SID] || body.SID == "" &&
			about[body.Envelope])
	}
	return err
}
