package launcher

import (
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

func storeContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), storeTimeout)
}

// permit returns nil, nil when the run may start: by policy, or because a person's yes to
// exactly this plan was consumed just now. Otherwise it returns the refusal.
func (l *Launcher) permit(ctx context.Context, r *run) (*Refusal, error) {
	switch {
	case r.Verdict.Decision == pathguard.Allow:
		return nil, nil
	case r.Verdict.Decision != pathguard.Ask:
		return r.denied(), nil
	}
	if err := l.settle(r.log); err != nil {
		return nil, err
	}
	if r.Request.Profile == profileCI {
		return l.presigned(ctx, r)
	}
	if err := l.useGrant(ctx, r); err != nil || r.grant != "" {
		return nil, err
	}
	envelope, _, err := l.store.Request(ctx, approval.Request{Session: r.asker(), Payload: r.Payload()})
	if refusal, err := r.noted(envelope.Events, err, audit.Lazy); refusal != nil || err != nil {
		return refusal, err
	}
	if !envelope.Approved() {
		if refusal, err := l.answer(ctx, r, envelope); refusal != nil || err != nil {
			return refusal, err
		}
	}
	if err := l.useNewGrant(ctx, r); err != nil || r.grant != "" {
		return nil, err
	}
	return l.consume(ctx, r, envelope.ID)
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
	return refuse(j.Verdict, firstCall, "denied", code, message, ExitDenied)
}

// asker is the session that an approval belongs to. The plan itself binds directory, command
// and agent; this only bounds how many questions one agent can have open.
func (r *run) asker() string { return fmt.Sprintf("%d/%s", os.Getuid(), r.agent()) }

// answer gets a person's answer to the envelope, here or elsewhere. It returns nil, nil when
// the answer was yes.
func (l *Launcher) answer(ctx context.Context, r *run, e approval.Envelope) (*Refusal, error) {
	if r.Request.Ask == nil {
		return l.await(ctx, r, e)
	}
	decision, err := r.Request.Ask(ctx, e)
	if err != nil {
		return nil, fmt.Errorf("ask on the terminal: %w", err)
	}
	if decision.Envelope == "" { // it stays in the inbox, or was answered there meanwhile
		return l.await(ctx, r, e)
	}
	events, err := l.store.Decide(ctx, decision)
	refusal, recordErr := r.noted(events, err, audit.Lazy)
	switch {
	case errors.Is(err, approval.ErrDecided) && recordErr == nil: // another answer was faster
		return l.await(ctx, r, e)
	case refusal != nil || recordErr != nil:
		return refusal, recordErr
	case e.Quorum > 1 && Approves(decision.Calls): // whether it is enough, the store counts
		return l.await(ctx, r, e)
	case !Approves(decision.Calls):
		return r.humanDenied(e.ID, decision.Calls), nil
	}
	return nil, nil
}

// await waits for an answer given elsewhere, for as long as the caller allows.
func (l *Launcher) await(ctx context.Context, r *run, e approval.Envelope) (*Refusal, error) {
	now, err := e, error(nil)
	switch {
	case r.Request.Wait > 0:
		fmt.Fprintf(os.Stderr, "tada-run: waiting %v for a person: tadactl show %s\n", r.Request.Wait, e.ID)
		wait, cancel := context.WithTimeout(ctx, r.Request.Wait)
		defer cancel()
		now, err = l.store.Wait(wait, e.ID)
	case r.Request.Ask != nil:
		now, err = l.store.Get(ctx, e.ID)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded), err == nil && now.State == approval.Pending && now.Decision == nil:
		return r.pending(e), nil
	case err != nil:
		return r.storeRefusal(err)
	case now.Approved():
		return nil, nil
	case now.Decision != nil:
		if Approves(now.Decision.Calls) { // it became a standing approval
			return nil, nil
		}
		return r.humanDenied(e.ID, now.Decision.Calls), nil
	}
	return refuse(r.Verdict, firstCall, "denied", string(now.State), "the question is no longer open", ExitDenied), nil
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
	r.Judgement.Close()
	r.Judgement = fresh
	permit, err := l.store.Consume(ctx, approval.Claim{
		Session: r.asker(), Envelope: id, PlanHash: fresh.Hash(), Runner: runner(),
	})
	if refusal, err := r.noted(permit.Events, err, audit.Durable); refusal != nil || err != nil {
		return refusal, err
	}
	if !Approves(permit.Calls) {
		return r.humanDenied(id, permit.Calls), nil
	}
	r.envelope, r.answers = id, permit.Calls
	return nil, nil
}

// finishApproval tells the store what came of what an approval permitted, so that no later process
// takes it for a run that died in the middle.
func (l *Launcher) finishApproval(log *audit.Log, envelope, what string) error {
	ctx, cancel := storeContext()
	defer cancel()
	events, err := l.store.Finish(ctx, envelope, approval.OutcomeExecuted, what)
	return errors.Join(err, l.recordEvents(log, events, audit.Lazy))
}

// noted records what an operation on the store changed, then turns its error into a refusal
// where it is the store's answer and not its failure.
func (r *run) noted(events []approval.Event, err error, d audit.Durability) (*Refusal, error) {
	if recordErr := r.l.recordEvents(r.log, append(events, eventsOf(err)...), d); recordErr != nil {
		return nil, recordErr
	}
	if err == nil {
		return nil, nil
	}
	return r.storeRefusal(err)
}

// pending says that a person has to answer first.
func (r *run) pending(e approval.Envelope) *Refusal {
	f := refuse(r.Verdict, firstCall, "pending", "pending", "", ExitPending)
	f.Envelope, f.Retry = e.ID, "run the identical command again after the answer"
	f.HumanCan = "tadactl show " + e.ID
	f.Message = "a person has to answer: tadactl show " + e.ID + "; then run the same command again"
	if r.Request.Tool != nil {
		f.Retry = "make the identical call again after the answer"
		f.Message = "a person has to answer: tadactl show " + e.ID + "; then make the same call again"
	}
	return f
}

// humanDenied passes on the words of the person who said no.
func (r *run) humanDenied(id string, calls []approval.CallDecision) *Refusal {
	message := "a person said no; choose another way, do not work around it"
	if i := slices.IndexFunc(calls, func(c approval.CallDecision) bool { return c.Message != "" }); i >= 0 {
		message = approval.Inert(calls[i].Message)
	}
	f := refuse(r.Verdict, firstCall, "denied", "human_denied", message, ExitDenied)
	f.Envelope = id
	return f
}
