package cli

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
)

func (c *ctl) audit() *cobra.Command {
	cmd := &cobra.Command{Use: "audit", Short: "Verify the record"}
	cmd.AddCommand(c.auditVerify(), c.auditHead())
	return cmd
}

func (c *ctl) auditVerify() *cobra.Command {
	var remember []string
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Prove that log and transcripts are as they were written",
		Long: "Prove that the log and every transcript it names are as they were written. The\n" +
			"first entry that is not is named. A copy of the whole folder from an earlier day\n" +
			"is consistent in itself: only --head, kept elsewhere, can tell.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			points, err := points(remember)
			if err != nil {
				return err
			}
			l, err := c.open()
			if err != nil {
				return err
			}
			report, err := l.Verify(points...)
			if errors.Is(err, fs.ErrNotExist) && report.Entries == 0 {
				return c.verified(report)
			}
			if err != nil {
				return &exitError{err, launcher.ExitTampered}
			}
			return c.verified(report)
		},
	}
	cmd.Flags().StringArrayVar(&remember, "head", nil, "a head that was kept elsewhere: SIZE:HASH, as `tadactl audit head` prints it")
	return verb(cmd, "77   something is not as it was written")
}

// points reads what `tadactl audit head` printed on an earlier day.
func points(texts []string) ([]audit.Point, error) {
	var list []audit.Point
	for _, text := range texts {
		size, hash, ok := strings.Cut(text, ":")
		count, err := strconv.ParseInt(size, 10, 64)
		var head audit.Hash
		n, hashErr := hex.Decode(head[:], []byte(hash[:min(len(hash), 2*len(head))]))
		if !ok || err != nil || hashErr != nil || n != len(head) || len(hash) != 2*n {
			return nil, &usageError{fmt.Errorf("--head %q is not SIZE:HASH", text)}
		}
		list = append(list, audit.Point{Count: count, Head: head})
	}
	return list, nil
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
			"missing": missing, "gaps": len(r.Gaps), "torn": r.Torn,
		})
	}
	fmt.Fprintf(c.out, "ok: %d entries, %d transcripts, head %d:%s\n", r.Entries, len(r.Transcripts), r.Entries, r.Head)
	if len(r.Gaps) > 0 || r.Torn > 0 {
		fmt.Fprintf(c.out, "note: %d interrupted appends, %d torn bytes, all accounted for\n", len(r.Gaps), r.Torn)
	}
	return nil
}

func (c *ctl) auditHead() *cobra.Command {
	return verb(&cobra.Command{
		Use:   "head",
		Short: "Print the head of the log, to be kept somewhere else",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			l, err := c.open()
			if err != nil {
				return err
			}
			r, err := l.Verify()
			if err != nil {
				return &exitError{err, launcher.ExitTampered}
			}
			if c.json {
				return c.printJSON(map[string]any{"size": r.Entries, "head": r.Head.String()})
			}
			_, err = fmt.Fprintf(c.out, "%d:%s\n", r.Entries, r.Head)
			return err
		},
	}, "77   the record is not as it was written")
}

func (c *ctl) log() *cobra.Command {
	var kind string
	var filter audit.Filter
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Print the entries of the log, oldest first",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			l, err := c.open()
			if err != nil {
				return err
			}
			if kind != "" {
				filter.Kinds = []string{kind + "."}
			}
			for e, err := range l.Entries(filter) {
				if err != nil {
					return &exitError{err, launcher.ExitTampered}
				}
				if err := c.printEntry(e); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "", "only entries of this kind: exec, approval, rec")
	cmd.Flags().StringVar(&filter.Text, "text", "", "only entries that contain this text")
	cmd.Flags().IntVar(&filter.Last, "last", 0, "only the newest of them, so many")
	return verb(cmd, "77   the record is not as it was written")
}

// printEntry prints one entry: what it is, and the members of its body that a reader looks for.
func (c *ctl) printEntry(e audit.Entry) error {
	if c.json {
		return c.printJSON(map[string]any{
			"seq": e.Seq, "time": e.Time.Format(time.RFC3339Nano), "kind": e.Kind, "body": json.RawMessage(e.Body),
		})
	}
	var body map[string]any
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return err
	}
	line := fmt.Sprintf("%6d  %s  %-18s", e.Seq, e.Time.Local().Format(time.DateTime), e.Kind)
	for _, name := range []string{"sid", "envelope_id", "verdict", "outcome", "status", "code", "level", "command"} {
		if v, ok := body[name]; ok && v != "" {
			line += fmt.Sprintf("  %s=%s", name, inert(fmt.Sprint(v)))
		}
	}
	_, err := fmt.Fprintln(c.out, line)
	return err
}

// inert quotes what could move the cursor or be taken for another field.
func inert(s string) string {
	if q := strconv.QuoteToASCII(s); q != `"`+s+`"` || strings.Contains(s, " ") || s == "" {
		return q
	}
	return s
}
