package permit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/relay"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/prompt"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/pathguard"
)

// Permit returns no refusal when the attempt may run: by policy, by a standing approval, or because
// an approval of exactly this plan was consumed just now. The authority names what was consumed,
// even if the answer is a refusal.
func (a *Attempt) Permit(ctx context.Context) (*Authority, *refusal.Refusal, error) {
	q := NewQuestion(a)
	switch a.Judged().Decision {
	case pathguard.Allow:
		return q.Authority, nil, nil
	case pathguard.Ask:
	default:
		a.EndGrants("a denial in the session")
		return q.Authority, a.denied(), nil
	}
	err := a.Approvals.Settle(a.Log)
	if err == nil {
		err = a.withdrawDead(ctx)
	}
	var no *refusal.Refusal
	if err == nil {
		no, err = q.permit(ctx)
		err = errors.Join(err, q.forgetAnswer()) // one that was not used after all
	}
	if errors.Is(err, approval.ErrOffline) {
		return q.Authority, a.offline(err), nil
	}
	return q.Authority, no, err
}

// offline says that the question cannot be stored, so that it cannot be asked.
func (a *Attempt) offline(err error) *refusal.Refusal {
	why := err.Error()
	if file := (*approval.FileError)(nil); errors.As(err, &file) { // the command is said below
		why = strings.TrimSuffix(file.Hint, "; start it: "+relay.Start)
	}
	f := a.refuse("pending", "offline", "", exit.Pending)
	f.Retry = "run the identical command again when the agent of the fleet is there"
	f.HumanCan = relay.Start
	if r := a.Judged().Reasons; len(r) > 0 && r[0].Rule == pathguard.RuleOffline {
		f.Message = a.say("offline by policy", f.Message) // which has the rest
	} else {
		f.Message = a.say("offline", f.Message, why, relay.Start)
	}
	return f
}

func (q *Question) permit(ctx context.Context) (*refusal.Refusal, error) {
	if q.CI {
		return q.presigned(ctx)
	}
	if err := q.UseGrant(ctx); err != nil || q.Grant != "" {
		return nil, err
	}
	var envelope approval.Envelope
	created := false
	refusal, err := q.change(func() (events []approval.Event, err error) {
		envelope, created, err = q.Store.Request(ctx, q.Asked())
		return envelope.Events, err
	})
	if refusal != nil {
		return q.withOffer(ctx, refusal, refusal.Wish, false) // denied a moment ago: no question
	}
	if err != nil {
		return nil, err
	}
	if created && !q.Lasts() {
		q.keepFacts(envelope)
	}
	if !envelope.Approved() {
		q.unfit = q.unfitting(ctx, envelope)
		done, err := q.waits(envelope, created)
		if err != nil {
			return nil, fmt.Errorf("wait for the answer: %w", err)
		}
		defer done()
		if refusal, err := q.ask(ctx, envelope, created); refusal != nil || err != nil {
			return refusal, err
		}
	}
	return q.use(ctx, envelope)
}

// use spends the approval of an envelope, or the standing approval that it has become.
func (q *Question) use(ctx context.Context,
	e approval.Envelope) (refusal *refusal.Refusal, err error) {
	if err := q.useNewGrant(ctx); err != nil || q.Grant != "" {
		return nil, err
	}
	if q.choice != 0 || q.Lasts() && e.Quorum < 2 && len(approval.Grantable(q.Payload())) == 0 {
		refusal, err = q.enlist(ctx, e.ID)
	} else {
		refusal, err = q.Consume(ctx, e.ID)
	}
	if refusal != nil && q.approved { // it may have become a standing approval at the last instant
		if err := q.UseGrant(ctx); err != nil || q.Grant != "" {
			return nil, err
		}
	}
	return refusal, err
}

// ask gets a person's answer to the envelope, here or elsewhere. It returns nil, nil for an
// approval.
func (q *Question) ask(ctx context.Context, e approval.Envelope,
	created bool) (*refusal.Refusal, error) {
	if q.AskHere != nil || q.Wait > 0 {
		q.Reserve()
	}
	if !q.asksHere(e) {
		q.notify(e, created)
		return q.await(ctx, e)
	}
	let := holdSignals()
	if q.unfit != nil {
		fmt.Fprintf(os.Stderr, "tada-run: %s\n", q.unfit)
	}
	decision, err := q.AskHere(ctx, e)
	if left := (*prompt.CancelledError)(nil); errors.As(err, &left) {
		defer let(false)
		return saidHere(q.cancelled(e, left))
	}
	let(true)
	if err != nil {
		return nil, fmt.Errorf("ask on the terminal: %w", err)
	}
	if decision.Envelope == "" { // it stays in the inbox, or was answered there in that time
		return q.await(ctx, e)
	}
	return q.decided(ctx, e, decision)
}

// decided has the store take an answer that was given here.
func (q *Question) decided(ctx context.Context, e approval.Envelope,
	d approval.Decision) (*refusal.Refusal, error) {
	if choice := d.Choice(); choice != 0 {
		if _, err := q.May(approval.Remember, approval.Channel(d.Channel)); err != nil {
			return nil, err
		}
		r := approval.GrantRequest{Choice: choice}
		if err := e.MayStand(d, r); err != nil {
			return q.storeRefusal(err)
		}
		q.choice = choice
	}
	late := false
	var err error
	q.answer, err = q.ChangeSaid(q.Log, audit.Lazy, func() ([]approval.Event, error) {
		events, err := q.decide(d, func() ([]approval.Event, error) {
			return q.Store.Decide(ctx, d)
		})
		late = errors.Is(err, approval.ErrDecided)
		return events, err
	})
	if err != nil {
		refusal, err := q.storeRefusal(err)
		if err == nil && late { // another answer was faster
			return q.await(ctx, e)
		}
		return refusal, err
	}
	switch {
	case e.Quorum > 1 && Approves(d.Calls): // whether it is enough, the store counts
		if err := q.forgetAnswer(); err != nil {
			return nil, err
		}
		return q.await(ctx, e)
	case !Approves(d.Calls):
		return saidHere(q.HumanDenied(ctx, e.ID, d.Calls))
	}
	return nil, nil
}

// saidHere notes that the person at the terminal of the command knows of a refusal.
func saidHere(r *refusal.Refusal, err error) (*refusal.Refusal, error) {
	if r != nil {
		r.Here = true
	}
	return r, err
}

// await waits for an answer given elsewhere, for as long as the caller allows.
func (q *Question) await(ctx context.Context, e approval.Envelope) (*refusal.Refusal, error) {
	now, err := e, error(nil)
	switch {
	case q.Wait > 0:
		fmt.Fprintf(os.Stderr, "tada-run: waiting %v for approval: tadactl approve %s\n", q.Wait,
			e.ID)
		wait, cancel := context.WithTimeout(ctx, q.Wait)
		defer cancel()
		now, err = q.Store.Wait(wait, e.ID)
	case q.AskHere != nil:
		now, err = q.Store.Get(ctx, e.ID)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded),
		err == nil && now.State == approval.Pending && now.Decision == nil:
		return q.pending(e), nil
	case errors.Is(err, context.Canceled): // the process that asked inside a session is gone
		return q.cancelled(e, &prompt.CancelledError{By: "the process that asked has exited"})
	case err != nil:
		return q.storeRefusal(err)
	case now.Decision != nil && Approves(now.Decision.Calls):
		// not yet used, or it became a standing approval
		q.approved = true
		return nil, nil
	case now.Decision != nil:
		return q.HumanDenied(ctx, e.ID, now.Decision.Calls)
	case now.State == approval.Rejected:
		return q.withdrawn(e.ID, q.say("withdrawn")), nil
	}
	return q.refuse("denied", string(now.State), q.say("not open"), exit.Denied), nil
}

// pending says that a person has to answer first.
func (q *Question) pending(e approval.Envelope) *refusal.Refusal {
	f := q.refuse("pending", "pending", "", exit.Pending)
	f.Envelope, f.Retry = e.ID, "run the identical command again after the answer"
	f.HumanCan = "tadactl approve " + e.ID
	f.Message = q.say("needs", e.ID)
	if q.Tool {
		f.Retry = "make the identical call again after the answer"
		f.Message = q.say("needs call", e.ID)
	}
	f.DoesNotFit(q.unfit)
	return f
}
