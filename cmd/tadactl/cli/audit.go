package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/note"

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
			"is consistent in itself: only what was kept elsewhere can tell. That is a head\n" +
			"(SIZE:HASH, as `tadactl audit head` prints it) or a checkpoint in a file (see\n" +
			"`tadactl audit checkpoint`), or a witness's word.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
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
			return c.verified(report)
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

func (c *ctl) verified(r audit.Report) error {
	missing := 0
	for _, s := range r.Transcripts {
		if s.Missing {
			missing++
		}
	}
	if c.json {
		return c.printJSON(map[string]any{
			"ok": true, "entries": r.Entries, "head": r.Head.String(), "transcripts": len(r.Transcripts),
			"missing": missing, "gaps": len(r.Gaps), "torn": r.Torn, "since": r.Since, "runs": r.Runs, "running": r.Open,
			"seals": r.Seals, "sealed": r.Sealed, "segments": r.Segments, "pruned": r.Pruned,
		})
	}
	fmt.Fprintf(c.out, "ok: %d entries, %d transcripts, head %d:%s\n", r.Entries, len(r.Transcripts), r.Entries, r.Head)
	for _, n := range []struct {
		say  bool
		text string
	}{
		{r.Since > 0, fmt.Sprintf("the first %d entries were not looked at", r.Since)},
		{r.Runs > 0, fmt.Sprintf("runs told to their end: %d; going on: %d", r.Runs-r.Open, r.Open)},
		{r.Seals > 0, fmt.Sprintf("%d entries are sealed: nobody can change them now", r.Sealed)},
		{r.Pruned > 0, fmt.Sprintf("%d entries were given up; their hashes are kept", r.Pruned)},
		{missing > 0, fmt.Sprintf("%d transcripts were dropped, and the log says so", missing)},
		{len(r.Gaps) > 0 || r.Torn > 0, fmt.Sprintf("%d interrupted appends, %d torn bytes, all accounted for", len(r.Gaps), r.Torn)},
	} {
		if n.say {
			fmt.Fprintf(c.out, "note: %s\n", n.text)
		}
	}
	return nil
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
			"cannot be changed any more, not even by whoever takes over this account. It is done\n" +
			"from time to time by itself. The key of the first seal is worth keeping elsewhere,\n" +
			"for `tadactl audit verify --seal-key`.",
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
		Long: "Go on after the record was found changed, and say why. Nothing is removed: an entry\n" +
			"tells which bytes are not proven, what had been remembered of them, and the reason.\n" +
			"`tadactl audit verify` mentions it from then on.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if reason == "" {
				return &usageError{errors.New("--reason is needed: it stands in the record for ever")}
			}
			l, err := c.open()
			if err != nil {
				return err
			}
			e, err := l.Accept(reason)
			if err != nil {
				return err
			}
			return c.printEntry(e)
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "what happened, in a sentence")
	return verb(cmd)
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
