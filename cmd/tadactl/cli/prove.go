package cli

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/export"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/upkeep"
)

func (c *ctl) auditCheckpoint() *cobra.Command {
	public := false
	cmd := verb("checkpoint", cobra.NoArgs, c.opened(func(l *launcher.Launcher, _ *cobra.Command,
		_ []string) error {
		if public {
			return c.printLogKey(l)
		}
		signed, key, err := l.Checkpoint()
		if err != nil {
			return changed(err)
		}
		if c.json {
			return c.printJSON(map[string]any{"checkpoint": string(signed), "key": key.Public})
		}
		_, err = c.out.Write(signed)
		return err
	}))
	cmd.Flags().BoolVar(&public, "key", false, "")
	return cmd
}

func (c *ctl) printLogKey(l *launcher.Launcher) error {
	key, err := l.LogKey()
	if err != nil {
		return err
	}
	return c.say(map[string]any{"key": key.Public}, "%v\n", key.Public)
}

func (c *ctl) auditProve() *cobra.Command {
	var file string
	cmd := verb("prove ENTRY|SESSION[:FROM-TO]", cobra.ExactArgs(1),
		c.reads(func(l *launcher.Launcher, _ *cobra.Command, args []string) error {
			proof, err := prove(l, args[0])
			if err != nil {
				return changed(err)
			}
			if file == "" || file == "-" {
				_, err = c.out.Write(proof)
				return err
			}
			return os.WriteFile(file, proof, 0o600)
		}))
	cmd.Flags().StringVarP(&file, "output", "o", "-", "")
	return cmd
}

// prove makes the proof that was asked for. An entry's number is shorter than a session's id.
func prove(l *launcher.Launcher, what string) ([]byte, error) {
	if seq, err := strconv.ParseInt(what, 10, 64); err == nil && len(what) < 16 {
		return l.Prove(seq)
	}
	prefix, stretch, some := strings.Cut(what, ":")
	var from, to int64
	if some {
		if n, err := fmt.Sscanf(stretch, "%d-%d", &from, &to); n != 2 || err != nil || from < 0 ||
			to <= from {
			return nil, usagef("%q is not SESSION:FROM-TO", what)
		}
	}
	id, err := l.Session(prefix)
	if err != nil {
		return nil, err
	}
	return l.ProveStretch(id, from, to)
}

// maxProof is the maximum size of a proof, in bytes.
const maxProof = 64 << 20

func (c *ctl) checkProof() *cobra.Command {
	var keys []string
	cmd := verb("check-proof FILE", cobra.ExactArgs(1), func(_ *cobra.Command,
		args []string) error {
		proof, err := c.readUpTo(args[0], maxProof)
		if err == nil && len(proof) > maxProof {
			err = fmt.Errorf("%q is larger than any proof", args[0])
		}
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			l, err := c.openToRead()
			if err != nil {
				return err
			}
			key, err := l.LogKey()
			if err != nil {
				return err
			}
			keys = []string{key.Public}
		}
		return c.proven(proof, keys)
	})
	cmd.Flags().StringArrayVar(&keys, "key", nil, "")
	return cmd
}

func (c *ctl) proven(proof []byte, keys []string) error {
	known, err := upkeep.Verifiers(keys...)
	if err != nil {
		return &usageError{err}
	}
	if !strings.HasPrefix(string(proof), "tada-stretch/") {
		e, err := audit.CheckProof(proof, known)
		if err != nil {
			return &exitError{err, exit.Tampered}
		}
		return c.printEntry(e, "")
	}
	s, err := audit.CheckStretch(proof, known)
	if err != nil {
		return &exitError{err, exit.Tampered}
	}
	return c.printStretch(s)
}

func (c *ctl) printStretch(s audit.Stretch) error {
	pieces := make([]export.Event, len(s.Events))
	for i, e := range s.Events {
		pieces[i] = export.EventOf(e)
	}
	if c.json {
		return c.printJSON(map[string]any{"session": s.Session, "from": s.From,
			"entry": s.Entry.Seq, "events": pieces})
	}
	fmt.Fprintf(c.out, "session %s, events %d to %d, vouched for by entry %d of %s\n",
		s.Session, s.From, s.From+int64(len(s.Events)), s.Entry.Seq,
		s.Entry.Time.Local().Format(time.DateTime))
	for i, e := range s.Events {
		text := strconv.QuoteToASCII(pieces[i].Text + pieces[i].Base64)
		if e.Redacted {
			text = fmt.Sprintf("(redacted, %s)", audit.Plural(e.Length, "byte"))
		}
		fmt.Fprintf(c.out, "%6d  %10.3fs  %c  %-10s  %s\n", e.Seq, e.Time.Seconds(), e.Code,
			inert(e.Author), text)
	}
	return nil
}

func (c *ctl) auditRedact() *cobra.Command {
	var texts []string
	var secrets bool
	var reason string
	cmd := verb("redact SESSION --secrets|--text TEXT", cobra.ExactArgs(1), func(_ *cobra.Command,
		args []string) error {
		if len(texts) == 0 && !secrets {
			return usagef("expected --secrets or --text TEXT")
		}
		s, err := c.recording(c.open, args)
		if err != nil {
			return err
		}
		defer s.transcript.Close()
		events, err := s.toRemove(texts, secrets)
		if err != nil {
			return unproven(err)
		}
		removed, err := s.launcher.Redact(s.id, events, reason)
		if err != nil {
			return changed(err)
		}
		if c.json {
			if removed == nil {
				removed = []int64{}
			}
			return c.printJSON(map[string]any{"id": s.id, "removed": removed})
		}
		_, err = fmt.Fprintf(c.out, "%s: the data of %s was removed\n", s.id,
			audit.Plural(len(removed), "event"))
		return err
	})
	cmd.Flags().StringArrayVar(&texts, "text", nil, "")
	cmd.Flags().BoolVar(&secrets, "secrets", false, "")
	cmd.Flags().StringVar(&reason, "reason", "", "")
	return cmd
}

// toRemove returns the events that contain what is to be removed.
func (s *recording) toRemove(texts []string, secrets bool) (events []int64, err error) {
	if secrets {
		found, err := audit.FindSecrets(s.transcript)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			events = append(events, f.Seq)
		}
	}
	for _, text := range texts {
		if _, err := s.transcript.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		found, err := audit.FindText(s.transcript, text)
		if err != nil {
			return nil, err
		}
		events = append(events, found...)
	}
	return events, nil
}
