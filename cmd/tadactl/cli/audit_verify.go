package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/mod/sumdb/note"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/upkeep"
)

// A demand is what a person wants proven about the record.
type demand struct {
	options   audit.VerifyOptions
	since     string
	remember  []string
	witnesses []string
	full      bool
}

func (c *ctl) auditVerify() *cobra.Command {
	var d demand
	var far shipped
	here := c.reads(func(l *launcher.Launcher, cmd *cobra.Command, _ []string) error {
		if err := d.read(l); err != nil {
			return err
		}
		line := c.progress()
		d.options.Progress = line.step
		verify := l.VerifyNew
		if d.doubts() {
			verify = l.VerifyWith
		}
		defer frugal()()
		report, err := verify(d.options)
		line.end()
		if err != nil && !(errors.Is(err, fs.ErrNotExist) && report.Entries == 0 &&
			len(d.options.Remember) == 0) {
			return c.refuted(report, err)
		}
		if d.options.Since == nil {
			if err := l.CompareStore(cmd.Context()); err != nil {
				return c.refuted(report, err)
			}
		}
		plans, err := l.VerifyPlans(report)
		switch {
		case err == nil && len(plans.Packs) > 0:
			err = fmt.Errorf("a file of plans was changed: %s; %s", plans.Packs[0],
				plansNote(plans))
		case err == nil && d.options.Complete && plans.Lost():
			err = errors.New(plansNote(plans))
		}
		if err != nil {
			return c.refuted(report, err)
		}
		return c.verified(report, plans, d.options.SealKey != "")
	})
	cmd := verb("verify [s3://BUCKET [MACHINE...]]", cobra.ArbitraryArgs, func(cmd *cobra.Command,
		words []string) error {
		switch other := ofTheOther(cmd, len(words) > 0); {
		case other != "" && len(words) > 0:
			return usagef("--%s is for the record of this machine", other)
		case other != "":
			return usagef("--%s is for a bucket: s3://BUCKET", other)
		case len(words) > 0:
			return far.verify(c, words)
		}
		return here(cmd, words)
	})
	flags := cmd.Flags()
	flags.StringArrayVar(&d.remember, "remember", nil, "")
	flags.StringArrayVar(&d.remember, "head", nil, "")
	flags.StringVar(&d.since, "since", "", "")
	flags.BoolVar(&d.options.Strict, "strict", false, "")
	flags.BoolVar(&d.options.Complete, "complete", false, "")
	flags.StringVar(&d.options.SealKey, "seal-key", "", "")
	flags.StringArrayVar(&d.witnesses, "witness", nil, "")
	flags.BoolVar(&d.full, "full", false, "")
	far.options(flags)
	return cmd
}

// frugal has memory used again sooner, until it is undone: what Verify needs does not grow with the
// record, but what it has used does, up to where the collector begins. Some MiB are of each core.
func frugal() (undo func()) {
	percent, limit := debug.SetGCPercent(50), debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(limit, int64(36+4*runtime.GOMAXPROCS(0))<<20))
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}

// ofTheOther is an option that was given and is not for the record in a bucket, or not for the one
// here; "" if there is none.
func ofTheOther(cmd *cobra.Command, bucket bool) (name string) {
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && slices.Contains(ofBucket, f.Name) != bucket {
			name = f.Name
		}
	})
	return name
}

// doubts reports whether all of the record is to be read: because it is asked for, or because
// something from outside is compared, and then what this account noted does not count.
func (d *demand) doubts() bool {
	return d.full || len(d.options.Remember) > 0 || d.options.SealKey != ""
}

// read turns what was typed into options.
func (d *demand) read(l *launcher.Launcher) error {
	for _, text := range d.remember {
		p, err := point(l, text)
		if err != nil {
			return err
		}
		d.options.Remember = append(d.options.Remember, p)
	}
	if d.since != "" {
		p, err := point(l, d.since)
		if err != nil {
			return err
		}
		d.options.Since = &p
	}
	if len(d.witnesses) == 0 {
		return nil
	}
	p, err := cosigned(l, d.witnesses)
	d.options.Remember = append(d.options.Remember, p)
	return err
}

// point reads SIZE:HASH, or a checkpoint of this log from a file.
func point(l *launcher.Launcher, text string) (audit.Point, error) {
	if p, err := audit.ParsePoint(text); err == nil {
		return p, nil
	}
	signed, err := os.ReadFile(text)
	if err != nil {
		return audit.Point{},
			usagef("%q is neither SIZE:HASH nor a file with a checkpoint: %w", text, err)
	}
	known, err := ownKey(l)
	if err != nil {
		return audit.Point{}, err
	}
	p, err := audit.CheckpointPoint(signed, known)
	if err != nil {
		return p, failf(exit.Tampered, "checkpoint %q: %w", text, err)
	}
	return p, nil
}

func ownKey(l *launcher.Launcher) (note.Verifiers, error) {
	key, err := l.LogKey()
	if err != nil {
		return nil, err
	}
	return upkeep.Verifiers(key.Public)
}

// refuted reports the first entry or event that was changed.
func (c *ctl) refuted(r audit.Report, err error) error {
	var bad *audit.BadEntry
	if c.json {
		o := map[string]any{"ok": false, "entries": r.Entries, "error": err.Error()}
		if errors.As(err, &bad) {
			o["file"], o["seq"], o["line"], o["offset"], o["reason"] = bad.File, bad.Seq, bad.Line,
				bad.Offset, bad.Reason
		}
		if err := c.printJSON(o); err != nil {
			return err
		}
	}
	return &exitError{err, exit.Tampered}
}

// plansNote says what is lost of the plans.
func plansNote(p launcher.Plans) string {
	return fmt.Sprintf("of %s on record %d are missing and %d are damaged; these runs cannot be "+
		"judged again", audit.Plural(p.Named, "plan"), p.Missing, p.Damaged)
}

func (c *ctl) verified(r audit.Report, plans launcher.Plans, pinned bool) error {
	missing, transcripts := r.Before.Missing+r.Missing, r.Transcripts+r.Before.Transcripts
	if c.json {
		return c.printJSON(map[string]any{
			"ok":      len(r.Unproven) == 0 && !plans.Lost(),
			"entries": r.Entries, "head": r.Head.String(),
			"transcripts": transcripts, "before": r.Before.Entries,
			"missing": missing, "gaps": len(r.Gaps), "torn": r.Torn, "since": r.Since,
			"runs": r.Runs, "running": r.Open,
			"plans": plans.Named, "plans_missing": plans.Missing, "plans_damaged": plans.Damaged,
			"seals": r.Seals, "sealed": r.Sealed, "first_key": r.FirstKey, "segments": r.Segments,
			"pruned": r.Pruned, "revived": len(r.Revived),
			"unproven": unprovenFacts(r.Unproven), "unnamed": list(r.Unnamed),
			"unvouched": list(r.Unvouched), "notes": list(r.Notes),
		})
	}
	word := "ok"
	if len(r.Unproven) > 0 || plans.Lost() {
		word = "not all proven"
	}
	fmt.Fprintf(c.out, "%s: %s, %s, head %d:%s\n", word, audit.Plural(r.Entries, "entry"),
		audit.Plural(transcripts, "transcript"), r.Entries, r.Head)
	for _, g := range r.Unproven {
		fmt.Fprintf(c.out, "unproven: %s\n", g.Unproven())
	}
	torn := 0
	for _, g := range r.Gaps {
		if !g.Accepted() {
			torn++
		}
	}
	for _, n := range []struct {
		say  bool
		text string
	}{
		{r.Since > 0, "not checked: the first " + audit.Plural(r.Since, "entry")},
		{r.Before.Entries > 0, beforeNote(r.Before)},
		{r.Runs > 0, fmt.Sprintf("complete runs: %d; still running: %d", r.Runs-r.Open, r.Open)},
		{len(r.Revived) > 0,
			fmt.Sprintf(
				"reported lost (exec.orphan) while still running, by an earlier version: %s",
				some(r.Revived))},
		{r.Seals > 0, sealedNote(r, pinned)},
		{r.Pruned > 0, audit.Plural(r.Pruned, "entry") + " deleted; the hashes are kept"},
		{missing > 0, audit.Plural(missing, "transcript") + " deleted, as the log records"},
		{torn > 0 || r.Torn > 0, fmt.Sprintf("%s, %s, all accounted for",
			audit.Plural(torn, "interrupted append"), audit.Plural(r.Torn, "torn byte"))},
		{plans.Lost(), plansNote(plans)},
		{len(r.Unnamed) > 0, fmt.Sprintf("%s without a run in the log: %s",
			audit.Plural(len(r.Unnamed), "transcript"), some(r.Unnamed))},
		{len(r.Unvouched) > 0,
			fmt.Sprintf("%s not covered by the log, because the run ended unexpectedly: %s",
				audit.Plural(len(r.Unvouched), "transcript"), some(r.Unvouched))},
	} {
		if n.say {
			fmt.Fprintf(c.out, "note: %s\n", n.text)
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(c.out, "note: %s\n", n)
	}
	return nil
}

// beforeNote says what was not read again.
func beforeNote(b audit.Before) string {
	return fmt.Sprintf("the first %s were verified on %s, and the files have the same hashes; "+
		"to read them again: tadactl audit verify --full", audit.Plural(b.Entries, "entry"),
		b.Time.Local().Format(time.DateOnly))
}

// some names the first of a list, and how many more there are.
func some(list []string) string {
	const most = 3
	if len(list) > most {
		return fmt.Sprintf("%s and %d more", inert(strings.Join(list[:most], ", ")), len(list)-most)
	}
	return inert(strings.Join(list, ", "))
}

// sealedNote says what the seals prove. With a pinned first key: no one has rewritten what is
// sealed. Without it: only that it was not changed since, unless all of it was rewritten, seals
// included.
func sealedNote(r audit.Report, pinned bool) string {
	if pinned {
		return audit.Plural(r.Sealed, "entry") +
			" sealed under the pinned key: the signing keys are gone"
	}
	return fmt.Sprintf(
		"%s sealed; the first seal names the key %s: a rewritten log would have another, so "+
			"compare it with the one you saved "+
			"(--seal-key)", audit.Plural(r.Sealed, "entry"), r.FirstKey)
}

// list returns an array for JSON, which is [] and not null when it is empty.
func list(s []string) []string { return append([]string{}, s...) }

func unprovenFacts(gaps []audit.Gap) []any {
	facts := []any{}
	for _, g := range gaps {
		facts = append(facts, map[string]any{"from": g.From.Count, "seq": g.Seq, "bytes": g.Bytes,
			"by":   g.By,
			"time": g.Time.Format(time.RFC3339Nano), "reason": g.Reason})
	}
	return facts
}

func (c *ctl) auditHead() *cobra.Command {
	journal := false
	cmd := verb("head", cobra.NoArgs, c.reads(func(l *launcher.Launcher, _ *cobra.Command,
		_ []string) error {
		p, err := l.Head()
		if errors.Is(err, fs.ErrNotExist) && p.Count == 0 {
			err = fmt.Errorf("nothing is recorded in %q yet; try: tada-run 'ls -l'",
				l.Home().Audit())
		}
		if err != nil {
			return c.refuted(audit.Report{Entries: p.Count, Head: p.Head}, err)
		}
		if journal {
			if err := audit.Journal(audit.JournalSocket, p, l.Home().Audit()); err != nil {
				return err
			}
		}
		return c.say(map[string]any{"size": p.Count, "head": p.Head.String(),
			"journal": journal}, "%v\n", p)
	}))
	cmd.Flags().BoolVar(&journal, "journal", false, "")
	return cmd
}

func (c *ctl) auditSeal() *cobra.Command {
	return verb("seal", cobra.NoArgs, c.opened(func(l *launcher.Launcher, _ *cobra.Command,
		_ []string) error {
		e, err := l.Seal()
		if err != nil {
			return changed(err)
		}
		var body struct {
			Epoch int64
			Key   string
		}
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return err
		}
		return c.say(map[string]any{"seq": e.Seq, "epoch": body.Epoch,
			"key": body.Key}, "sealed %s with the key of epoch %d: %s\n",
			audit.Plural(e.Seq+1, "entry"), body.Epoch, body.Key)
	}))
}

func (c *ctl) auditAccept() *cobra.Command {
	var reason string
	cmd := verb("accept --reason WHY", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		if strings.TrimSpace(reason) == "" {
			return usagef("--reason is needed: it is recorded for good")
		}
		l, err := c.open()
		if err != nil {
			return err
		}
		if _, err := l.May(approval.AcceptRecord, approval.ChannelTadactl); err != nil {
			return err
		}
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return fmt.Errorf("open the terminal: %w", err)
		}
		defer tty.Close()
		e, err := l.Accept(cmd.Context(), tty, reason)
		switch {
		case errors.Is(err, permit.ErrNobody):
			return failf(exit.Pending, "no answer given; nothing was changed")
		case errors.Is(err, upkeep.ErrNotAccepted):
			return &exitError{err, exit.Denied}
		case err != nil:
			return err
		}
		return c.printEntry(e, "")
	})
	cmd.Flags().StringVar(&reason, "reason", "", "")
	return cmd
}
