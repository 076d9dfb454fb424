package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/exit"
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
		return &exitError{
			fmt.Errorf("question %q: no denial is in force, so there is nothing to undo", id),
			exit.Denied}
	} else if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(map[string]any{"id": id, "decision": "undone"})
	}
	_, err = fmt.Fprintf(c.out, "denial of %s undone; the same command asks again\n", id)
	return err
}
