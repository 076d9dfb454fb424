package permit

import (
	"context"
	"errors"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/audit"
)

// A connection is a separate question: whether one program may connect to one host. Its plan
// ([plan.ConnectTool]) binds program, host and workspace. The command that wants the connection is
// shown, and an approval that is not a grant binds it: that is for one run of it.

// A Scope is how far the approval of a connection goes.
type Scope int

// The scopes.
const (
	ThisRun       Scope = iota
	ThisWorkspace       // until it is revoked
	Everywhere          // in every workspace of the account, until it is revoked
)

// GrantedConnection reports whether a grant allows a connection, in its workspace or everywhere,
// and records its use.
func (p *Approvals) GrantedConnection(ctx context.Context, log *audit.Log,
	r approval.Request) (bool, error) {
	payloads := [][]byte{r.Payload}
	if everywhere, err := plan.Everywhere(r.Payload); err == nil {
		payloads = append(payloads, everywhere)
	}
	for _, payload := range payloads {
		err := p.Change(log, audit.Durable, func() ([]approval.Event, error) {
			_, events, err := p.Store.UseGrant(ctx, r.Session, payload)
			return events, err
		})
		if err == nil || !errors.Is(err, approval.ErrNoGrant) {
			return err == nil, err
		}
	}
	return false, nil
}

// AskConnection returns the question about a connection, an open one or one that was answered and
// not used. An open one may be of another command: then only the grant that it may become counts
// for this one. The error is an [approval.Refused] if no one is asked: it was denied a moment ago,
// or too many questions are open.
func (p *Approvals) AskConnection(ctx context.Context, log *audit.Log,
	r approval.Request) (e approval.Envelope, err error) {
	if err := p.Settle(log); err != nil {
		return e, err
	}
	if e, found, err := p.askedBefore(ctx, r); found || err != nil {
		return e, err
	}
	made := false
	err = p.Change(log, audit.Lazy, func() (events []approval.Event, err error) {
		e, made, err = p.Store.Request(ctx, r)
		return e.Events, err
	})
	p.notify(e, made && err == nil && !r.Person)
	return e, err
}

// askedBefore returns the open question about the same connection of another command. At a terminal
// the person is asked about the command that is there.
func (p *Approvals) askedBefore(ctx context.Context,
	r approval.Request) (e approval.Envelope, found bool, err error) {
	own := plan.Hash(r.Payload)
	template, err := plan.Template(r.Payload)
	if err != nil || r.Person {
		return e, false, err
	}
	list, err := p.Store.Pending(ctx)
	for _, other := range list {
		if other.Session != r.Session || other.Quorum < r.Quorum {
			continue
		}
		if other.PlanHash == own {
			return e, false, nil
		}
		full, err := p.Store.Get(ctx, other.ID)
		if err != nil || full.Decision != nil {
			continue
		}
		if its, err := plan.Template(full.Payload); err == nil && its == template {
			e, found = full, true
		}
	}
	return e, found, err
}

// UseConnection consumes the approval of a connection, for one run.
func (p *Approvals) UseConnection(ctx context.Context, log *audit.Log, e approval.Envelope) error {
	err := p.Change(log, audit.Durable, func() ([]approval.Event, error) {
		used, err := p.Store.Consume(ctx, approval.Claim{Session: e.Session, Envelope: e.ID,
			PlanHash: e.PlanHash, Runner: p.dir.Self()})
		if err == nil {
			err = p.spend(e.ID, "approval", e.ID)
		}
		return used.Events, err
	})
	if err != nil {
		return err
	}
	return p.FinishApproval(log, e.ID, "connections of one run")
}

// DecideConnection stores the approval of a connection, with its scope. One for this run remains to
// be consumed.
func (p *Approvals) DecideConnection(ctx context.Context, d approval.Decision,
	s Scope) (g approval.Grant, err error) {
	if s == ThisRun {
		return g, p.Decide(ctx, d)
	}
	if _, err := p.May(approval.Remember, approval.Channel(d.Channel)); err != nil {
		return g, err
	}
	r := approval.GrantRequest{Envelope: d.Envelope, PlanHash: d.PlanHash, Approver: d.Approver,
		Channel: d.Channel, Everywhere: s == Everywhere}
	e, err := p.Envelope(ctx, d.Envelope)
	if err == nil {
		err = e.MayStand(d, r)
	}
	if err == nil {
		err = p.Decide(ctx, d)
	}
	if err != nil {
		return g, err
	}
	return p.grant(ctx, r)
}

// CancelConnection withdraws a question that the person left without an answer.
func (p *Approvals) CancelConnection(ctx context.Context, log *audit.Log, id, why string) error {
	return p.Change(log, audit.Lazy,
		func() ([]approval.Event, error) { return p.Store.Cancel(ctx, id, why) })
}
