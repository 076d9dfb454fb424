package permit

import (
	"cmp"
	"context"
	"errors"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/prompt"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/pathguard"
)

// offer judges the command that a person gave in the place of the run's, opens its question where
// it has one, and with ask puts it before that person at once. A command that policy denies is no
// offer.
func (a *Attempt) offer(ctx context.Context, command string, ask bool) (*refusal.Offer, error) {
	j, done, err := a.Other(command)
	if err != nil {
		return nil, nil // it is no command
	}
	defer done()
	o := &refusal.Offer{Command: command, Verdict: j.Judged().Decision.String(), PlanHash: j.Hash()}
	switch j.Judged().Decision {
	case pathguard.Allow:
		return o, nil
	case pathguard.Deny:
		return nil, nil
	}
	other := *a
	other.Case = j
	var e approval.Envelope
	refusal, err := other.change(func() (events []approval.Event, err error) {
		e, _, err = a.Store.Request(ctx, other.Asked())
		return e.Events, err
	})
	if refusal != nil || err != nil {
		return nil, err
	}
	if o.Envelope = e.ID; e.Approved() {
		o.Verdict = "approved"
		return o, nil
	}
	if !ask || !a.asksHere(e) {
		return o, nil
	}
	let := holdSignals()
	d, err := a.AskHere(ctx, e)
	if left := (*prompt.CancelledError)(nil); errors.As(err, &left) {
		defer let(false)
		_, err = other.cancelled(e, left)
		o.Verdict, o.Envelope = "cancelled", ""
		return o, err
	}
	let(true)
	if err != nil || d.Envelope == "" {
		return o, err
	}
	if refusal, err = other.change(func() ([]approval.Event, error) { return a.Store.Decide(ctx, d) }); refusal == nil && err == nil && Approves(d.Calls) {
		o.Verdict = "approved"
	}
	return o, err
}

// withOffer adds to a refusal what the person would rather see.
func (a *Attempt) withOffer(ctx context.Context, f *refusal.Refusal, command string,
	ask bool) (*refusal.Refusal, error) {
	if command == "" {
		return f, nil
	}
	var err error
	f.Offer, err = a.offer(ctx, command, ask)
	return f, err
}

// HumanDenied passes on the message of the person who denied it.
func (a *Attempt) HumanDenied(ctx context.Context, id string,
	calls []approval.CallDecision) (*refusal.Refusal, error) {
	message, instead := "", ""
	for _, c := range calls {
		message, instead = cmp.Or(message, render.Inert(c.Message)), cmp.Or(instead, c.Instead)
	}
	f := a.refuse("denied", refusal.CodeDenied, cmp.Or(message, a.say("denied by user")),
		exit.Denied)
	f.Envelope, f.HumanCan = id, undoes(id)
	return a.withOffer(ctx, f, instead, true)
}
