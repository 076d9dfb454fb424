package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher"
)

// undeny takes the denial of a question back. said is what belongs to a denial, and not to this.
func (c *ctl) undeny(ctx context.Context, id, said string) error {
	if said != "" {
		return &usageError{errors.New("--undo cannot be combined with a message or --instead")}
	}
	l, err := c.open()
	if err != nil {
		return err
	}
	if _, err := l.May(approval.TakeBack, approval.ChannelTadactl); err != nil {
		return err
	}
	if id, err = l.DeniedID(ctx, id); err != nil {
		return err
	}
	if err = l.Undeny(ctx, id); errors.Is(err, approval.ErrUnknown) {
		return &exitError{fmt.Errorf("question %q: no denial is in force, so there is nothing to undo", id), launcher.ExitDenied}
	} else if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(map[string]any{"id": id, "decision": "undone"})
	}
	_, err = fmt.Fprintf(c.out, "denial of %s undone; the same command asks again\n", id)
	return err
}

// denials are the questions whose denials can be taken back.
func denials(cmd *cobra.Command, l *launcher.Launcher) ([]string, error) {
	list, err := l.Denied(cmd.Context())
	var words []string
	for _, e := range list {
		if e, err := l.Envelope(cmd.Context(), e.ID); err == nil {
			words = append(words, e.ID+"\t"+short(e.Payload, 120))
		}
	}
	return words, err
}

// answerable are the questions that deny takes: the open ones, and with --undo those that were
// denied.
func answerable(cmd *cobra.Command, l *launcher.Launcher) ([]string, error) {
	if undo, err := cmd.Flags().GetBool("undo"); err == nil && undo {
		return denials(cmd, l)
	}
	return questions(cmd, l)
}
