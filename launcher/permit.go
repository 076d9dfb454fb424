package launcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/pathguard"
)

// storeTimeout bounds one operation on the approval store. Nobody holds it while a person
// thinks, so a longer wait means that something is wrong with it.
const storeTimeout = 15 * time.Second

// permit returns nil, nil when the run may start: by policy, or because a person's yes to
// exactly this plan was consumed just now. Otherwise it returns the refusal.
func (l *Launcher) permit(ctx context.Context, r *run) (refusal *Refusal, err error) {
	if refusal := heldIn(r.Request.Env); refusal != nil {
		return refusal, nil
	}
	switch {
	case r.Verdict.Decision == pathguard.Allow:
		return nil, nil
	case r.Verdict.Decision != pathguard.Ask:
		r.endGrants("a denial in the session")
		return r.denied(), nil
	}
	if err := l.settle(r.log); err != nil {
		return nil, err
	}
	if err := l.withdrawDead(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.forgetSaid()) }() // an answer that was not used after all
	if r.Request.Profile == profileCI {
		return l.presigned(ctx, r)
	}
	if err := l.useGrant(ctx, r); err != nil || r.grant != "" {
		return nil, err
	}
	var envelope approval.Envelope
	created := false
	refusal, err = r.change(func() (events []approval.Event, err error) {
		envelope, created, err = l.store.Request(ctx, r.question())
		return envelope.Events, err
	})
	if refusal != nil {
		return r.withOffer(ctx, refusal, refusal.instead, false) // it cools off: nobody is asked
	}
	if err != nil {
		return nil, err
	}
	if created && !r.lasts() {
		r.keepSheet(envelope)
	}
	if !envelope.Approved() {
		r.misfit = r.unfit(ctx, envelope)
		done, err := r.waits(envelope, created)
		if err != nil {
			return nil, fmt.Errorf("wait for the answer: %w", err)
		}
		defer done()
		if refusal, err := l.answer(ctx, r, envelope); refusal != nil || err != nil {
			return refusal, err
		}
	}
	if err := l.useNewGrant(ctx, r); err != nil || r.grant != "" {
		return nil, err
	}
	if r.lasts() && envelope.Quorum < 2 && len(approval.Grantable(r.Payload())) == 0 {
		refusal, err = l.enlist(ctx, r, envelope.ID)
	} else {
		refusal, err = l.consume(ctx, r, envelope.ID)
	}
	if refusal != nil && r.answered { // it may have become a standing approval at the last instant
		if err := l.useGrant(ctx, r); err != nil || r.grant != "" {
			return nil, err
		}
	}
	return refusal, err
}

// profileCI is the profile of a machine without people.
const profileCI = "ci"

// denied words a verdict that no person can change.
func (j *Judgement) denied() *Refusal {
	code := "policy_denied"
	var security *pathguard.SecurityError
	locale := pathguard.LocaleOf(j.Plan.Caller.Env)
	message := ""
	if err := j.Verdict.Err(locale); errors.As(err, &security) {
		code, message = string(security.Type), security.Message
	}
	return refuse(j.Verdict, "denied", code, message, ExitDenied)
}

func (r *run) asker() string { return r.askerOf() }

// budget is against whose limits a question counts: those of the processes that it comes from, in a workspace. A name that
// the caller chooses is no part of it.
func (r *run) budget() string {
	folder := r.Request.Dir
	if r.Plan != nil {
		folder = r.Plan.Workspace
	}
	return fmt.Sprintf("%d/%s/%s", os.Getuid(), treeOf(os.Getpid()), folder)
}

// question is what a person is asked, and how many persons.
func (r *run) question() approval.Request {
	q := approval.Request{Session: r.asker(), Payload: r.Payload(), Budget: r.budget(), Person: r.Request.Ask != nil && r.Request.Within == nil, Through: r.through()}
	people, self := r.policy.Settings().Approval.For(r.Verdict.Risk)
	if q.Quorum = people; !self {
		q.Requester = Person()
	}
	return q
}

// answer gets a person's answer to the envelope, here or elsewhere. It returns nil, nil when
// the answer was yes.
func (l *Launcher) answer(ctx context.Context, r *run, e approval.Envelope) (*Refusal, error) {
	r.prepare()
	if !r.asksHere(e) {
		return l.await(ctx, r, e)
	}
	let := holdSignals()
	if r.misfit != nil {
		fmt.Fprintf(os.Stderr, "tada-run: %s\n", r.misfit)
	}
	decision, err := r.Request.Ask(ctx, e)
	if left := (*CancelledError)(nil); errors.As(err, &left) {
		defer let(false)
		return r.cancelled(e, left)
	}
	let(true)
	if err != nil {
		return nil, fmt.Errorf("ask on the terminal: %w", err)
	}
	if decision.Envelope == "" { // it stays in the inbox, or was answered there meanwhile
		return l.await(ctx, r, e)
	}
	decided := false
	r.said, err = l.changeSaid(r.log, audit.Lazy, func() ([]approval.Event, error) {
		events, err := l.decide(decision, func() ([]approval.Event, error) { return l.store.Decide(ctx, decision) })
		decided = errors.Is(err, approval.ErrDecided)
		return events, err
	})
	if err != nil {
		refusal, err := r.storeRefusal(err)
		if err == nil && decided { // another answer was faster
			return l.await(ctx, r, e)
		}
		return refusal, err
	}
	switch {
	case e.Quorum > 1 && Approves(decision.Calls): // whether it is enough, the store counts
		if err := r.forgetSaid(); err != nil {
			return nil, err
		}
		return l.await(ctx, r, e)
	case !Approves(decision.Calls):
		return r.humanDenied(ctx, e.ID, decision.Calls)
	}
	return nil, nil
}

// asksHere reports whether the question is put where the command was typed: not where who is there could only say no, nor
// when it is too long to be judged in passing. That is for the inbox.
func (r *run) asksHere(e approval.Envelope) bool {
	if r.Request.Ask == nil || e.Requester == Person() {
		return false
	}
	if who, why := r.l.caller().Who(); r.Request.Within == nil && (who != "" || why != "") { // Ask would say nothing
		fmt.Fprintf(os.Stderr, "tada-run: not asked on this terminal, where no person is recognised: %s\n", why)
		return false
	}
	if !approval.Render(e.Payload, approval.RenderOptions{}).Inline {
		fmt.Fprintln(os.Stderr, "tada-run: the question is too long for this prompt; answer it in: tadactl inbox")
		return false
	}
	return true
}

// await waits for an answer given elsewhere, for as long as the caller allows.
func (l *Launcher) await(ctx context.Context, r *run, e approval.Envelope) (*Refusal, error) {
	now, err := e, error(nil)
	switch {
	case r.Request.Wait > 0:
		fmt.Fprintf(os.Stderr, "tada-run: waiting %v for approval: tadactl approve %s\n", r.Request.Wait, e.ID)
		wait, cancel := context.WithTimeout(ctx, r.Request.Wait)
		defer cancel()
		now, err = l.store.Wait(wait, e.ID)
	case r.Request.Ask != nil:
		now, err = l.store.Get(ctx, e.ID)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded), err == nil && now.State == approval.Pending && now.Decision == nil:
		return r.pending(e), nil
	case errors.Is(err, context.Canceled): // who asked inside a session is gone
		return r.cancelled(e, &CancelledError{By: "the process that asked has exited"})
	case err != nil:
		return r.storeRefusal(err)
	case now.Decision != nil && Approves(now.Decision.Calls): // not yet used, or it became a standing approval
		r.answered = true
		return nil, nil
	case now.Decision != nil:
		return r.humanDenied(ctx, e.ID, now.Decision.Calls)
	case now.State == approval.Rejected:
		return r.withdrawn(e.ID, "the question was withdrawn"), nil
	}
	return refuse(r.Verdict, "denied", string(now.State), "the question is no longer open", ExitDenied), nil
}

// cancelled withdraws the question that the person at this terminal left without an answer. Nothing is remembered of it
// but the record: the same command asks again.
func (r *run) cancelled(e approval.Envelope, left *CancelledError) (*Refusal, error) {
	ctx, cancel := storeContext()
	defer cancel()
	refusal, err := r.change(func() ([]approval.Event, error) { return r.l.store.Cancel(ctx, e.ID, left.Error()) })
	if refusal != nil || err != nil { // it was answered or expired at the last instant
		return refusal, err
	}
	return r.withdrawn(e.ID, left.Error()), nil
}

// Approves reports whether any call was allowed.
func Approves(calls []approval.CallDecision) bool {
	return slices.ContainsFunc(calls, func(c approval.CallDecision) bool { return c.Approved })
}

// consume judges the request anew, because the world had time to change while a person was
// thinking, and spends the approval for the plan as it is now.
func (l *Launcher) consume(ctx context.Context, r *run, id string) (*Refusal, error) {
	again := func() (*Judgement, error) { return l.Judge(r.Request) }
	if r.again != nil {
		again = r.again
	}
	fresh, err := again()
	if err != nil {
		return nil, err
	}
	shown := r.Judgement
	r.Judgement.Close()
	r.Judgement = fresh
	if r.running != nil { // what else asks starts nothing itself
		r.begin() // while the disk takes the use of the approval; what goes wrong there, start tells
	}
	var permit approval.Permit
	used, err := l.changeSaid(r.log, audit.Durable, func() (events []approval.Event, err error) {
		permit, err = l.store.Consume(ctx, approval.Claim{Session: r.asker(), Envelope: id, PlanHash: fresh.Hash(), Runner: l.self()})
		if err == nil {
			err = l.spend(id, "approval", id)
		}
		return permit.Events, err
	})
	r.told, r.said = l.forgetNow(r.said, used), said{}
	if err != nil {
		refusal, failed := r.storeRefusal(err)
		if now := fresh.sheet(""); errors.Is(err, approval.ErrMismatch) && refusal != nil && now != nil {
			refusal.unfit(&Unfit{Envelope: id, Differs: differs(shown.sheet(""), now)})
		}
		return refusal, failed
	}
	if !Approves(permit.Calls) {
		return r.humanDenied(ctx, id, permit.Calls)
	}
	r.envelope, r.answers = id, permit.Calls
	return nil, nil
}

// finishApproval tells the store what came of what an approval permitted, so that no later process
// takes it for a run that died in the middle.
func (l *Launcher) finishApproval(log *audit.Log, envelope, what string) error {
	ctx, cancel := storeContext()
	defer cancel()
	return l.change(log, audit.Lazy, func() ([]approval.Event, error) {
		return l.store.Finish(ctx, envelope, approval.OutcomeExecuted, what)
	})
}

// finishApproval is [Launcher.finishApproval] for this run, if it used an approval that is its own.
func (r *run) finishApproval(what string) (err error) {
	if r.told != nil {
		err, r.told = <-r.told, nil
	}
	if r.envelope != "" && r.shared == "" {
		err = errors.Join(err, r.l.finishApproval(r.log, r.envelope, what))
	}
	return err
}

// change is [Launcher.change] for this run: an answer of the store that is not a yes is a refusal.
func (r *run) change(do func() ([]approval.Event, error)) (*Refusal, error) {
	if err := r.l.change(r.log, audit.Lazy, do); err != nil {
		return r.storeRefusal(err)
	}
	return nil, nil
}

// forgetSaid has the store forget the answer given here, if it has not.
func (r *run) forgetSaid() error {
	if r.said.outbox == nil {
		return nil
	}
	s := r.said
	r.said = said{}
	return <-r.l.forgetNow(s)
}

// pending says that a person has to answer first.
func (r *run) pending(e approval.Envelope) *Refusal {
	f := refuse(r.Verdict, "pending", "pending", "", ExitPending)
	f.Envelope, f.Retry = e.ID, "run the identical command again after the answer"
	f.HumanCan = "tadactl approve " + e.ID
	f.Message = "needs approval: tadactl approve " + e.ID + "; then run the same command again"
	if r.Request.Tool != nil {
		f.Retry = "make the identical call again after the answer"
		f.Message = "needs approval: tadactl approve " + e.ID + "; then make the same call again"
	}
	f.unfit(r.misfit)
	return f
}

// humanDenied passes on the words of the person who said no.
func (r *run) humanDenied(ctx context.Context, id string, calls []approval.CallDecision) (*Refusal, error) {
	message, instead := "", ""
	for _, c := range calls {
		message, instead = cmp.Or(message, approval.Inert(c.Message)), cmp.Or(instead, c.Instead)
	}
	f := refuse(r.Verdict, "denied", codeDenied, cmp.Or(message, deniedByUser), ExitDenied)
	f.Envelope, f.HumanCan = id, undoes(id)
	return r.withOffer(ctx, f, instead, true)
}
