package cli

import (
	"context"
	"errors"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/exit"
)

// undeny takes back the denial of a question. said is an option that only a denial may have.
func (c *ctl) undeny(ctx context.Context, id, said string) error {
	if said != "" {
		return usagef("--undo cannot be combined with a message or --instead")
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
		return failf(exit.Denied, "question %q: no denial is in force, so there is nothing to undo",
			id)
	} else if err != nil {
		return err
	}
	return c.say(map[string]any{"id": id, "decision": "undone"},
		"denial of %s undone; the same command asks again\n", id)
}
