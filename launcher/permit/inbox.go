package permit

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/prompt"
	"github.com/tada-run/tada-run/launcher/state"
)

// Pending returns the questions that can still be answered or used, oldest first.
func (p *Approvals) Pending(ctx context.Context) ([]approval.Envelope, error) {
	if err := p.Ready(); err != nil {
		return nil, err
	}
	if err := p.withdrawDead(ctx); err != nil {
		return nil, err
	}
	return p.Store.Pending(ctx)
}

// Envelope returns the question whose id begins with prefix. A prefix that several have is
// ErrAmbiguous: an answer must never reach another question than the one that was read.
func (p *Approvals) Envelope(ctx context.Context, prefix string) (approval.Envelope, error) {
	if err := p.Ready(); err != nil {
		return approval.Envelope{}, err
	}
	if err := p.withdrawDead(ctx); err != nil {
		return approval.Envelope{}, err
	}
	if e, err := p.Store.Get(ctx, prefix); !errors.Is(err, approval.ErrUnknown) {
		// a whole id, of whatever state: a list of many does not search all of them for each
		return e, err
	}
	pending, err := p.Store.Pending(ctx)
	if err != nil {
		return approval.Envelope{}, err
	}
	ids := make([]string, 0, len(pending))
	for _, e := range pending {
		ids = append(ids, e.ID)
	}
	id, err := state.Only(ids, prefix)
	switch {
	case errors.Is(err, state.ErrAmbiguous):
		return approval.Envelope{}, fmt.Errorf("question %q: %w; type more characters", prefix, err)
	case err != nil:
		return approval.Envelope{}, fmt.Errorf("question %q: %w (an answered question needs its "+
			"whole id); try: tadactl pending", prefix, err)
	}
	return p.Store.Get(ctx, id)
}

// Decide stores a person's answer and records it. The error is an [approval.Refused] when the
// answer came too late or does not fit the question, and wraps [approval.ErrPeer] for a process
// that may ask and not answer.
func (p *Approvals) Decide(ctx context.Context, d approval.Decision) error {
	if err := p.mayAnswer(ctx, &d); err != nil {
		return err
	}
	return p.Deciding(func() ([]approval.Event, error) {
		return p.decide(d, func() ([]approval.Event, error) { return p.Store.Decide(ctx, d) })
	})
}

// Undeny takes a denial back that keeps its command from being asked again, and records it. The
// error is an [approval.Refused] when there is none for that id.
func (p *Approvals) Undeny(ctx context.Context, id string) error {
	if _, err := p.May(approval.TakeBack, approval.ChannelTadactl); err != nil {
		return err
	}
	return p.Deciding(func() ([]approval.Event, error) {
		return p.Store.Undeny(ctx, id, Person(), "tadactl")
	})
}

// Denied returns the questions whose denials keep their commands from being asked again, oldest
// first.
func (p *Approvals) Denied(ctx context.Context) ([]approval.Envelope, error) {
	if err := p.Ready(); err != nil {
		return nil, err
	}
	return p.Store.Denied(ctx)
}

// DeniedID returns the id of the denial that begins with prefix, or prefix itself where none does.
func (p *Approvals) DeniedID(ctx context.Context, prefix string) (string, error) {
	list, err := p.Denied(ctx)
	if err != nil {
		return "", err
	}
	ids := make([]string, 0, len(list))
	for _, e := range list {
		ids = append(ids, e.ID)
	}
	switch id, err := state.Only(ids, prefix); {
	case errors.Is(err, state.ErrAmbiguous):
		return "", fmt.Errorf("denied question %q: %w; type more characters", prefix, err)
	case err == nil:
		return id, nil
	}
	return prefix, nil
}

// AnswerAt shows the question with that id to the person at tty and stores the answer, as a client
// attached to a session does it beside the session's screen. An unanswered question stays, and so
// does one that was left with a [CancelledError]: its asker still waits.
func (p *Approvals) AnswerAt(ctx context.Context, tty *os.File, id string) error {
	e, err := p.Envelope(ctx, id)
	if err != nil {
		return err
	}
	if _, err := p.May(approval.Approve(e.Risk), approval.ChannelAttach); err != nil {
		return err
	}
	d, err := p.Ask(ctx, tty, e, string(approval.ChannelAttach))
	if errors.As(err, new(*prompt.CancelledError)) {
		return fmt.Errorf("%w; the question is still open", err)
	}
	if err != nil || d.Envelope == "" {
		return err
	}
	return p.Decide(ctx, d)
}

// Deciding changes the store as its caller may ([Approvals.May]), and records what it changed.
func (p *Approvals) Deciding(change func() ([]approval.Event, error)) error {
	log, err := p.record.OpenLog()
	if err != nil {
		return err
	}
	defer log.Close()
	if err := p.Settle(log); err != nil {
		return err
	}
	return p.Change(log, audit.Durable, change)
}
