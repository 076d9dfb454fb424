package cli

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/cmd/tadactl/inbox"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// An overview is how things are now: what the verbs pending, sessions, grants, doctor and tamper
// say at length.
type overview struct {
	Level   string              `json:"level"`
	Waiting []entry             `json:"waiting"`
	Running []past.Run          `json:"running"`
	Latest  []past.Run          `json:"latest"` // the newest last
	Grants  []standing          `json:"grants"`
	Undo    launcher.UndoState  `json:"undo"`
	Record  recordSize          `json:"record"`
	Wrong   []wrong             `json:"wrong"`
	asked   []approval.Envelope // what is waiting, with payload
}

// A recordSize is how much the record takes.
type recordSize struct {
	Entries     int64 `json:"entries"` // of the log
	Bytes       int64 `json:"bytes"`
	Transcripts int64 `json:"transcripts"` // bytes of them
	Quota       int64 `json:"quota"`       // record.quota
}

// maxStatus is how many entries of a kind status shows.
const maxStatus = 10

func overviewOf(ctx context.Context, l *launcher.Launcher, dir string) (*overview, error) {
	o := &overview{Waiting: []entry{}, Running: []past.Run{}, Latest: []past.Run{},
		Grants: []standing{}, Wrong: []wrong{}, Undo: l.UndoState(dir)}
	var err error
	if o.asked, err = inbox.Unanswered(ctx, l); err != nil {
		return nil, err
	}
	for _, e := range o.asked {
		o.Waiting = append(o.Waiting, entryOf(e))
	}
	grants, err := l.Grants(ctx)
	if err != nil {
		return nil, err
	}
	for _, g := range grants {
		o.Grants = append(o.Grants, standingOf(g))
	}
	open, err := l.Open(nil)
	if err != nil {
		return nil, err
	}
	for _, r := range open {
		if r.State == past.Running {
			o.Running = append(o.Running, r)
		}
	}
	for r, err := range l.Newest(time.Time{}) {
		if err != nil {
			return nil, err
		}
		if _, known := r.Exit(); known {
			o.Latest = append(o.Latest, r)
		}
		if len(o.Latest) == maxStatus {
			break
		}
	}
	slices.Reverse(o.Latest)
	if head, err := l.Head(); err == nil {
		o.Record.Entries = head.Count
	}
	o.Record.Transcripts = sizeOf(l.Home().Sessions())
	o.Record.Bytes = sizeOf(l.Home().Audit()) + sizeOf(l.Home().Plans()) + o.Record.Transcripts
	o.Record.Quota = l.Policy().Settings().TranscriptQuota()
	o.faults(ctx, l, dir)
	return o, nil
}

// faults finds what is not as it should be.
func (o *overview) faults(ctx context.Context, l *launcher.Launcher, dir string) {
	probe, approvals := sandbox.Probe(), "ok"
	o.Level = probe.Level.String()
	if probe.Level == sandbox.None {
		o.Wrong = append(o.Wrong, wrong{"commands are not sandboxed on this machine",
			"tadactl doctor"})
	}
	if err := l.CompareStore(ctx); err != nil {
		approvals = strings.TrimPrefix(err.Error(), "approval: ")
	}
	o.Wrong = append(append(o.Wrong, lost(probe, "tadactl doctor")...),
		faults(l, dir, approvals, o.Undo)...)
}

// sizeOf is the size of the files in a directory.
func sizeOf(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil // what ends meanwhile does not count
		}
		if info, err := e.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
}

func (c *ctl) statusVerb() *cobra.Command {
	return verb("status", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		l, dir, err := c.openHere()
		if err != nil {
			return err
		}
		o, err := overviewOf(cmd.Context(), l, dir)
		if err != nil {
			return err
		}
		if c.json {
			return c.printJSON(o)
		}
		c.printOverview(o)
		return nil
	})
}

// printOverview prints one screen.
func (c *ctl) printOverview(o *overview) {
	narrow := c.narrow()
	row := func(name, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		switch {
		case narrow == 0:
			text = fmt.Sprintf("%-9s%s", name, inbox.Fit(text, fullWidth-9))
		case name != "":
			text = c.row(fmt.Sprintf("%-9s%s", name, text))
		default: // an entry of a list
			text = inbox.Fit(text, narrow+1)
		}
		fmt.Fprintln(c.out, text)
	}
	row("level", "%s", o.Level)
	row("waiting", "%s", listing(len(o.asked), "question", "to answer: tadactl inbox"))
	for _, e := range o.asked[:min(len(o.asked), 3)] {
		row("", "  R%d  %s  %s", e.Friction.Level, inert(cmp.Or(e.Agent, "-")),
			inbox.Short(e.Payload, 400))
	}
	row("running", "%s", listing(len(o.Running), "run", "to end one: tadactl kill ID"))
	for _, r := range o.Running[:min(len(o.Running), 3)] {
		row("", "  %s  %s", r.ID, briefly(r))
	}
	row("latest", "%s", listing(len(o.Latest), "run",
		"all: tadactl sessions; to take one back: tadactl undo ID"))
	for _, r := range slices.Backward(o.Latest) {
		row("", "  %s  %s%s", r.ID, outcome(r), briefly(r))
	}
	row("grants", "%s", listing(len(o.Grants), "grant", "to see them: tadactl grants"))
	if o.Undo.Works {
		row("undo", "%s kept for %s, %s of %s", audit.Plural(o.Undo.Runs, "run"), o.Undo.Keep,
			sizeText(o.Undo.Bytes), sizeText(o.Undo.Quota))
	}
	row("record", "%s, %s; transcripts %s of %s", audit.Plural(o.Record.Entries, "entry"),
		sizeText(o.Record.Bytes), sizeText(o.Record.Transcripts), sizeText(o.Record.Quota))
	if len(o.Wrong) == 0 {
		row("wrong", "nothing")
	}
	for _, w := range o.Wrong {
		fmt.Fprintln(c.out, c.row(fmt.Sprintf("%-9s%s; try: %s", "WRONG", render.Inert(w.What),
			w.Try)))
	}
}

// outcome is how a run ended, if not well, and what it changed.
func outcome(r past.Run) string {
	text := ""
	if exit, _ := r.Exit(); exit != 0 {
		text = fmt.Sprintf("exit %d  ", exit)
	}
	if changes := r.RunChanges.String(); changes != "" {
		text += changes + "  "
	}
	return text
}

// listing is how many there are, and what to type if there are any.
func listing(n int, noun, try string) string {
	if n == 0 {
		return "none"
	}
	return audit.Plural(n, noun) + "; " + try
}
