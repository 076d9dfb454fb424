package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/session"
)

// AskOn puts the envelope before the person at tty and returns the answer as a decision on
// channel. The zero Decision means that nobody answered and the question stays open. The text
// is drawn from the stored bytes and nothing else; the answer names the hash of what was
// drawn, so that it cannot reach another question.
func AskOn(ctx context.Context, tty *os.File, e approval.Envelope, channel string) (approval.Decision, error) {
	short := approval.Render(e.Payload, approval.RenderOptions{})
	render := func(width int, full bool) string {
		// Where something would be cut, only the whole text may be approved.
		page := approval.Render(e.Payload, approval.RenderOptions{Width: width - 1, Full: full || short.Truncated})
		return page.Text()
	}
	reply, err := session.Ask(ctx, tty, render, session.AskOptions{Challenge: e.Challenge})
	var interrupted *session.Interrupted
	switch {
	case errors.Is(err, session.ErrBackground), errors.Is(err, session.ErrTimeout), errors.Is(err, session.ErrHangup),
		errors.As(err, &interrupted), errors.Is(err, context.Canceled):
		return approval.Decision{}, nil
	case err != nil:
		return approval.Decision{}, fmt.Errorf("ask on %q: %w", tty.Name(), err)
	}
	d := Answer(e, reply.Answer == session.Approved, "", channel)
	if reply.Answer == session.Approved {
		d.Challenge = e.Challenge
		d.Paged = true // the whole text is drawn where the short page is cut
	}
	return d, nil
}

// Answer is the same answer to every call of the envelope, given on channel by the user of
// this process.
func Answer(e approval.Envelope, yes bool, message, channel string) approval.Decision {
	d := approval.Decision{
		Envelope: e.ID, PlanHash: e.PlanHash, Channel: channel, Approver: "uid " + strconv.Itoa(os.Getuid()),
	}
	for _, id := range e.Calls {
		d.Calls = append(d.Calls, approval.CallDecision{ID: id, Approved: yes, Message: message})
	}
	return d
}
