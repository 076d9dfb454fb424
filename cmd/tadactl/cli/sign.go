package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/caller"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/prompt"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard/intent"
)

func (c *ctl) exportRequest() *cobra.Command {
	var command, batch, agent, item string
	cmd := verb("export-request ID | export-request --ci COMMAND | export-request --ci-intent FILE",
		cobra.MaximumNArgs(1), c.opened(func(l *launcher.Launcher, cmd *cobra.Command,
			args []string) error {
			var line []byte
			var err error
			req := launcher.Request{Shell: shell.Call{Text: command, Name: "tada-run"},
				Agent: agent, WorkItem: item}
			switch {
			case len(args) == 1 && command == "" && batch == "":
				line, err = l.ExportRequest(cmd.Context(), args[0])
			case len(args) == 0 && command != "" && batch == "":
				line, err = c.exportPlan(l, req)
			case len(args) == 0 && command == "" && batch != "":
				line, err = c.exportBatch(l, req, batch)
			default:
				return usagef("expected a question ID, --ci COMMAND or --ci-intent FILE")
			}
			if err != nil {
				return err
			}
			_, err = c.out.Write(line)
			return err
		}))
	cmd.Flags().StringVar(&command, "ci", "", "")
	cmd.Flags().StringVar(&batch, "ci-intent", "", "")
	cmd.Flags().StringVar(&agent, "agent", "", "")
	cmd.Flags().StringVar(&item, "work-item", "", "")
	return cmd
}

// exportPlan judges as the run will be judged: here, now, with the same environment and input.
func (c *ctl) exportPlan(l *launcher.Launcher, req launcher.Request) ([]byte, error) {
	req, err := c.here(req)
	if err != nil {
		return nil, err
	}
	return l.ExportPlan(req)
}

// exportBatch is exportPlan for the commands of a file.
func (c *ctl) exportBatch(l *launcher.Launcher, req launcher.Request, path string) ([]byte, error) {
	req, err := c.here(req)
	if err != nil {
		return nil, err
	}
	text, err := c.read(path)
	if err != nil {
		return nil, err
	}
	list, err := intent.ParseAll(bytes.NewReader(text))
	if err != nil {
		return nil, &usageError{err}
	}
	calls, err := launcher.Calls(req, list)
	if errors.Is(err, launcher.ErrDirectory) {
		return nil, &usageError{err}
	}
	if err != nil {
		return nil, err
	}
	return l.ExportBatch(calls)
}

// here completes a request as if it came from this process.
func (c *ctl) here(req launcher.Request) (launcher.Request, error) {
	var err error
	if req.Dir, err = os.Getwd(); err != nil {
		return req, fmt.Errorf("the current directory is gone (%w); try: cd /", err)
	}
	req.Env, req.Stdio = os.Environ(), session.Stdio{In: c.in}
	return req, nil
}

// read returns a text that may be as long as a question.
func (c *ctl) read(path string) ([]byte, error) { return c.readUpTo(path, approval.MaxRequest) }

// readUpTo returns a file, or standard input for "-": at most one byte more than most, which the
// caller refuses.
func (c *ctl) readUpTo(path string, most int64) ([]byte, error) {
	f := c.in
	if path != "-" {
		var err error
		if f, err = os.Open(path); err != nil {
			return nil, err
		}
		defer f.Close()
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", path, err)
	}
	return text, nil
}

func (c *ctl) sign() *cobra.Command {
	var how permit.Signing
	var delegation string
	cmd := verb("sign FILE", cobra.ExactArgs(1), func(cmd *cobra.Command, args []string) error {
		if err := caller.Outside(approval.Sign); err != nil {
			return err
		}
		text, err := c.read(args[0])
		if err != nil {
			return err
		}
		q, err := approval.ReadQuestion(text)
		if err != nil {
			return err
		}
		if delegation != "" {
			line, err := c.read(delegation)
			if err != nil {
				return err
			}
			how.Delegation = string(line)
		}
		return c.signOn(cmd.Context(), q, how)
	})
	cmd.Flags().StringVarP(&how.Message, "message", "m", "", "")
	cmd.Flags().StringSliceVar(&how.Except, "except", nil, "")
	cmd.Flags().DurationVar(&how.Valid, "valid", time.Hour, "")
	cmd.Flags().IntVar(&how.Scope.Uses, "uses", 0, "")
	cmd.Flags().DurationVar(&how.Scope.For, "for", 0, "")
	cmd.Flags().StringVar(&delegation, "delegation", "", "")
	return cmd
}

func (c *ctl) signOn(ctx context.Context, q approval.Question, how permit.Signing) error {
	l, err := c.open()
	if err != nil {
		return err
	}
	if _, err := l.May(approval.Sign, approval.ChannelTadactl); err != nil {
		return err
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil || !term.IsTerminal(int(tty.Fd())) {
		return failf(exit.Usage, "no terminal to show the question on, so nothing was signed")
	}
	defer tty.Close()
	yes, word, err := l.AskQuestion(ctx, tty, q)
	if errors.Is(err, permit.ErrNobody) {
		return &exitError{err, exit.Pending}
	}
	if err != nil {
		return err
	}
	if how.Yes, how.Message = yes, cmp.Or(word, how.Message); !yes {
		how.Scope = approval.Scope{}
	}
	token, err := l.Sign(q, how, func() (string, error) {
		return prompt.ReadSecret(ctx, tty, "passphrase: ")
	})
	if err != nil {
		return err
	}
	_, err = c.out.Write(token)
	return err
}

// approveToken submits an answer that was signed elsewhere.
func (c *ctl) approveToken(ctx context.Context, path string) error {
	text, err := c.read(path)
	if err != nil {
		return err
	}
	l, err := c.open()
	if err != nil {
		return err
	}
	t, err := l.DecideToken(ctx, text)
	if err != nil {
		return err
	}
	word := "denied"
	if t.Approved {
		word = "approved"
	}
	if c.json {
		return c.printJSON(map[string]any{"id": t.Envelope, "decision": word, "signer": t.Signer,
			"presigned": t.Presigned, "votes": t.Votes, "people": t.People})
	}
	switch {
	case t.Presigned:
		fmt.Fprintf(c.out, "one run of the signed plan is allowed, by %s\n", t.Signer)
	case t.Votes < t.People:
		fmt.Fprintf(c.out, "counted for %s, by %s: %d of %d approvals\n", t.Envelope, t.Signer,
			t.Votes, t.People)
	case t.Grant != nil:
		return c.granted(*t.Grant)
	default:
		fmt.Fprintf(c.out, "%s %s, by %s\n", word, t.Envelope, t.Signer)
	}
	return nil
}
