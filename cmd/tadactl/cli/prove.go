package cli

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
)

func (c *ctl) auditCheckpoint() *cobra.Command {
	public := false
	cmd := &cobra.Command{
		Use:   "checkpoint",
		Short: "Sign the size and root of the log, to save somewhere else",
		Long: "Sign the log's size and Merkle root: a C2SP tlog-checkpoint, which anyone can check with\n" +
			"the log's key (--key prints it) and `tadactl audit verify --remember FILE`. A copy is kept\n" +
			"beside the log; the one that counts is the one you save on another account or machine.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			l, err := c.open()
			if err != nil {
				return err
			}
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
		},
	}
	cmd.Flags().BoolVar(&public, "key", false, "print the key that verifies checkpoints and proofs")
	return verb(cmd, "77   the record was changed")
}

func (c *ctl) printLogKey(l *launcher.Launcher) error {
	key, err := l.LogKey()
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(map[string]any{"key": key.Public})
	}
	_, err = fmt.Fprintln(c.out, key.Public)
	return err
}

func (c *ctl) auditProve() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "prove ENTRY|SESSION[:FROM-TO]",
		Short: "Write a proof of one log entry, or of part of a session",
		Long: "Write a proof of one log entry, by its number, or of part of a session, by its id and the\n" +
			"numbers of its events, the last excluded. Anyone with the log's key (`tadactl audit\n" +
			"checkpoint --key`) can verify it with `tadactl audit check-proof`, without seeing the rest\n" +
			"of the log or the session.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := c.open()
			if err != nil {
				return err
			}
			proof, err := prove(l, args[0])
			if err != nil {
				return changed(err)
			}
			if file == "" || file == "-" {
				_, err = c.out.Write(proof)
				return err
			}
			return os.WriteFile(file, proof, 0o600)
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "-", "the file to write")
	return verb(cmd, "77   the record was changed")
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
			return nil, &usageError{fmt.Errorf("%q is not SESSION:FROM-TO", what)}
		}
	}
	id, err := l.Session(prefix)
	if err != nil {
		return nil, err
	}
	return l.ProveStretch(id, from, to)
}

func (c *ctl) checkProof() *cobra.Command {
	var keys []string
	cmd := &cobra.Command{
		Use:   "check-proof FILE",
		Short: "Verify a proof, and print what it proves",
		Long: "Verify a proof from `tadactl audit prove`, and print what it proves. It needs only the\n" +
			"log's key: without --key, that of the log on this machine.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			proof, err := c.readFile(args[0])
			if err != nil {
				return err
			}
			if len(keys) == 0 {
				l, err := c.open()
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
		},
	}
	cmd.Flags().StringArrayVar(&keys, "key", nil,
		"the log's key, `NAME+HASH+KEY`, as 'tadactl audit checkpoint --key' prints it on that machine")
	return verb(cmd, "77   the proof is not valid")
}

// readFile reads a file of at most 64 MiB, - for standard input.
func (c *ctl) readFile(name string) ([]byte, error) {
	f := c.in
	if name != "-" {
		var err error
		if f, err = os.Open(name); err != nil {
			return nil, err
		}
		defer f.Close()
	}
	const most = 64 << 20
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && len(b) > most {
		err = fmt.Errorf("%q is larger than any proof", name)
	}
	return b, err
}

func (c *ctl) proven(proof []byte, keys []string) error {
	known, err := launcher.Verifiers(keys...)
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

// A piece is one event of a proven stretch as --json prints it.
type piece struct {
	Seq    int64  `json:"seq"`
	TimeUS int64  `json:"time_us"`
	Code   string `json:"code"`
	Author string `json:"author"`
	Length int64  `json:"length"`
	Text   string `json:"text,omitempty"`
	Base64 string `json:"base64,omitempty"`

	Redacted bool `json:"redacted,omitempty"` // there is neither
}

func (c *ctl) printStretch(s audit.Stretch) error {
	pieces := make([]piece, len(s.Events))
	for i, e := range s.Events {
		p := piece{Seq: e.Seq, TimeUS: e.Time.Microseconds(), Code: string(rune(e.Code)),
			Author: e.Author, Length: e.Length, Redacted: e.Redacted}
		if utf8.Valid(e.Data) {
			p.Text = string(e.Data)
		} else {
			p.Base64 = base64.StdEncoding.EncodeToString(e.Data)
		}
		pieces[i] = p
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
	cmd := &cobra.Command{
		Use:   "redact SESSION --secrets|--text TEXT",
		Short: "Remove a text from a transcript, which can still be verified",
		Long: "Remove for good the parts of a transcript that contain a text, or credentials of a known\n" +
			"form (most were never stored). The log says which parts were removed. Everything else can\n" +
			"still be verified, including the session's head. The command line is not removed: the log\n" +
			"and the transcript's header contain it.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(texts) == 0 && !secrets {
				return &usageError{errors.New("expected --secrets or --text TEXT")}
			}
			s, err := c.recording(args)
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
		},
	}
	cmd.Flags().StringArrayVar(&texts, "text", nil, "remove this text, of at most 512 bytes")
	cmd.Flags().BoolVar(&secrets, "secrets", false, "remove credentials of a known form")
	cmd.Flags().StringVar(&reason, "reason", "", "the reason, for the record")
	return verb(cmd, "77   the record was changed")
}

// toRemove are the events that hold what is to go.
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
