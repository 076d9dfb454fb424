package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/note"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
)

func (c *ctl) audit() *cobra.Command {
	cmd := &cobra.Command{Use: "audit", Short: "Verify, prove and tend the record"}
	cmd.AddCommand(c.auditVerify(), c.log(), c.auditHead(), c.auditSeal(), c.auditCheckpoint(), c.auditProve(), c.checkProof(),
		c.auditRedact(), c.auditAccept(), c.auditWitness())
	return cmd
}

// A demand is what a person wants to hear proven of the record.
type demand struct {
	options   audit.VerifyOptions
	since     string
	remember  []string
	witnesses []string
}

func (c *ctl) auditVerify() *cobra.Command {
	var d demand
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Prove that log and transcripts are as they were written",
		Long: "Prove that the log and every transcript it names are as they were written. The\n" +
			"first entry that is not is named. A copy of the whole folder from an earlier day\n" +
			"is consistent in itself: only what was kept elsewhere can tell. The approvals know\n" +
			"how far the record had come, and are compared. Beyond this machine, that is a head\n" +
			"(SIZE:HASH, as `tadactl audit head` prints it) or a checkpoint in a file (see\n" +
			"`tadactl audit checkpoint`), or a witness's word.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := c.open()
			if err != nil {
				return err
			}
			if err := d.read(l); err != nil {
				return err
			}
			report, err := l.VerifyWith(d.options)
			if err != nil && !(errors.Is(err, fs.ErrNotExist) && report.Entries == 0 && len(d.options.Remember) == 0) {
				return c.refuted(report, err)
			}
			if d.options.Since == nil {
				if err := l.CompareStore(cmd.Context()); err != nil {
					return c.refuted(report, err)
				}
			}
			return c.verified(report, d.options.SealKey != "")
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&d.remember, "remember", nil, "a head or checkpoint that was kept elsewhere: SIZE:HASH or a file")
	flags.StringArrayVar(&d.remember, "head", nil, "the same as --remember")
	flags.StringVar(&d.since, "since", "", "look only at what came behind this head or checkpoint, which was proven before")
	flags.BoolVar(&d.options.Strict, "strict", false, "read every entry a second time by other means; ten times slower")
	flags.BoolVar(&d.options.Complete, "complete", false, "demand that every run was announced, had authority and has an end")
	flags.StringVar(&d.options.SealKey, "seal-key", "", "the key that the first seal names, as it was pinned elsewhere")
	flags.StringArrayVar(&d.witnesses, "witness", nil, "demand that this witness, NAME+HASH+KEY, cosigned the checkpoint beside the log")
	return verb(cmd, "77   something is not as it was written")
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

// point reads SIZE:HASH, or a checkpoint of this log out of a file.
func point(l *launcher.Launcher, text string) (audit.Point, error) {
	if p, err := audit.ParsePoint(text); err == nil {
		return p, nil
	}
	signed, err := os.ReadFile(text)
	if err != nil {
		return audit.Point{}, &usageError{fmt.Errorf("%q is neither SIZE:HASH nor a file with a checkpoint: %w", text, err)}
	}
	known, err := ownKey(l)
	if err != nil {
		return audit.Point{}, err
	}
	p, err := audit.CheckpointPoint(signed, known)
	if err != nil {
		return p, &exitError{fmt.Errorf("checkpoint %q: %w", text, err), launcher.ExitTampered}
	}
	return p, nil
}

func ownKey(l *launcher.Launcher) (note.Verifiers, error) {
	key, err := l.LogKey()
	if err != nil {
		return nil, err
	}
	return launcher.Verifiers(key.Public)
}

// refuted tells the first thing that is not as it was written.
func (c *ctl) refuted(r audit.Report, err error) error {
	var bad *audit.BadEntry
	if c.json {
		o := map[string]any{"ok": false, "entries": r.Entries, "error": err.Error()}
		if errors.As(err, &bad) {
			o["file"], o["seq"], o["line"], o["offset"], o["reason"] = bad.File, bad.Seq, bad.Line, bad.Offset, bad.Reason
		}
		if err := c.printJSON(o); err != nil {
			return err
		}
	}
	return &exitError{err, launcher.ExitTampered}
}

func (c *ctl) verified(r audit.Report, pinned bool) error {
	missing := 0
	for _, s := range r.Transcripts {
		if s.Missing {
			missing++
		}
	}
	if c.json {
		return c.printJSON(map[string]any{
			"ok": len(r.Unproven) == 0, "entries": r.Entries, "head": r.Head.String(), "transcripts": len(r.Transcripts),
			"missing": missing, "gaps": len(r.Gaps), "torn": r.Torn, "since": r.Since, "runs": r.Runs, "running": r.Open,
			"seals": r.Seals, "sealed": r.Sealed, "first_key": r.FirstKey, "segments": r.Segments, "pruned": r.Pruned, "revived": len(r.Revived),
			"unproven": unprovenFacts(r.Unproven), "unnamed": list(r.Unnamed), "unvouched": list(r.Unvouched), "notes": list(r.Notes),
		})
	}
	word := "ok"
	if len(r.Unproven) > 0 {
		word = "not all proven"
	}
	fmt.Fprintf(c.out, "%s: %d entries, %d transcripts, head %d:%s\n", word, r.Entries, len(r.Transcripts), r.Entries, r.Head)
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
		{r.Since > 0, fmt.Sprintf("the first %d entries were not looked at", r.Since)},
		{r.Runs > 0, fmt.Sprintf("runs told to their end: %d; going on: %d", r.Runs-r.Open, r.Open)},
		{len(r.Revived) > 0, fmt.Sprintf("reported lost (exec.orphan) while they went on, by an earlier version: %s", some(r.Revived))},
		{r.Seals > 0, sealedNote(r, pinned)},
		{r.Pruned > 0, fmt.Sprintf("%d entries were given up; their hashes are kept", r.Pruned)},
		{missing > 0, fmt.Sprintf("%d transcripts were dropped, and the log says so", missing)},
		{torn > 0 || r.Torn > 0, fmt.Sprintf("%d interrupted appends, %d torn bytes, all accounted for", torn, r.Torn)},
		{len(r.Unnamed) > 0, fmt.Sprintf("%d transcripts are of runs that the log does not know: %s", len(r.Unnamed), some(r.Unnamed))},
		{len(r.Unvouched) > 0, fmt.Sprintf("%d transcripts are not vouched for, because their runs ended without a word: %s", len(r.Unvouched), some(r.Unvouched))},
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

// some names the first of a list, and how many more there are.
func some(list []string) string {
	const most = 3
	if len(list) > most {
		return fmt.Sprintf("%s and %d more", inert(strings.Join(list[:most], ", ")), len(list)-most)
	}
	return inert(strings.Join(list, ", "))
}

// sealedNote says what the seals prove: with a pinned first key that nobody has rewritten what is sealed, else
// only that it was not changed since, unless all of it was, seals included.
func sealedNote(r audit.Report, pinned bool) string {
	if pinned {
		return fmt.Sprintf("%d entries are sealed under the pinned key: their signing keys are gone", r.Sealed)
	}
	return fmt.Sprintf("%d entries are sealed; the first seal names the key %s: whoever rewrote the log has another one, so compare it with the one that you kept (--seal-key)", r.Sealed, r.FirstKey)
}

// list is an array in JSON, empty or not.
func list(s []string) []string { return append([]string{}, s...) }

func unprovenFacts(gaps []audit.Gap) []any {
	facts := []any{}
	for _, g := range gaps {
		facts = append(facts, map[string]any{"from": g.From.Count, "seq": g.Seq, "bytes": g.Bytes, "by": g.By,
			"time": g.Time.Format(time.RFC3339Nano), "reason": g.Reason})
	}
	return facts
}

func (c *ctl) auditHead() *cobra.Command {
	journal := false
	cmd := &cobra.Command{
		Use:   "head",
		Short: "Print the head of the log, to be kept somewhere else",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			l, err := c.open()
			if err != nil {
				return err
			}
			r, err := l.Verify()
			if errors.Is(err, fs.ErrNotExist) && r.Entries == 0 {
				err = fmt.Errorf("nothing is recorded in %q yet; try: tada-run 'ls -l'", l.Home().Audit())
			}
			if err != nil {
				return c.refuted(r, err)
			}
			p := audit.Point{Count: r.Entries, Head: r.Head}
			if journal {
				if err := audit.Journal(audit.JournalSocket, p, l.Home().Audit()); err != nil {
					return err
				}
			}
			if c.json {
				return c.printJSON(map[string]any{"size": r.Entries, "head": r.Head.String(), "journal": journal})
			}
			_, err = fmt.Fprintln(c.out, p)
			return err
		},
	}
	cmd.Flags().BoolVar(&journal, "journal", false, "leave it in the machine's journal too: journalctl SYSLOG_IDENTIFIER=tada-audit")
	return verb(cmd, "77   the record is not as it was written")
}

func (c *ctl) auditSeal() *cobra.Command {
	return verb(&cobra.Command{
		Use:   "seal",
		Short: "Sign the log up to here with a key that is then thrown away",
		Long: "Sign the log up to here with a key that is then thrown away: what is before a seal\n" +
			"cannot be changed under the same keys any more, not even by whoever takes over this\n" +
			"account. It is done from time to time by itself. Whoever rewrites the whole log seals it\n" +
			"with keys of their own: keep the key of the first seal elsewhere, for\n" +
			"`tadactl audit verify --seal-key`. A seal proves nothing about what was accepted before it.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			l, err := c.open()
			if err != nil {
				return err
			}
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
			if c.json {
				return c.printJSON(map[string]any{"seq": e.Seq, "epoch": body.Epoch, "key": body.Key})
			}
			_, err = fmt.Fprintf(c.out, "sealed %d entries with the key of epoch %d: %s\n", e.Seq+1, body.Epoch, body.Key)
			return err
		},
	}, "77   the record is not as it was written")
}

func (c *ctl) auditAccept() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "accept --reason WHY",
		Short: "Go on after the record was found changed, and say why",
		Long: "Go on after the record was found changed, and say why. It needs a person at a\n" +
			"terminal, who reads what was found and types what the page asks for. Nothing is\n" +
			"removed, and nothing becomes proven: an entry says from where on the log is not\n" +
			"proven, who accepted that, and the reason. `tadactl audit verify`, log, sessions and\n" +
			"show mark that part from then on, and `audit verify --complete` fails.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if strings.TrimSpace(reason) == "" {
				return &usageError{errors.New("--reason is needed: it stands in the record for ever")}
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
			case errors.Is(err, launcher.ErrNobody):
				return &exitError{errors.New("nobody answered here; nothing was changed"), launcher.ExitPending}
			case errors.Is(err, launcher.ErrNotAccepted):
				return &exitError{err, launcher.ExitDenied}
			case err != nil:
				return err
			}
			return c.printEntry(e, "")
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "what happened, in a sentence")
	return verb(cmd, "75   nobody answered", "126  refused: no terminal, not yours to do, or answered with no")
}

// changed gives tampering its exit status.
func changed(err error) error {
	var tampered *audit.TamperError
	var bad *audit.BadEntry
	if errors.As(err, &tampered) || errors.As(err, &bad) {
		return &exitError{err, launcher.ExitTampered}
	}
	return err
}
