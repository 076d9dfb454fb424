package launcher

import (
	"fmt"
	"os"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher/caller"
	"github.com/tada-run/tada-run/launcher/prompt"
	"github.com/tada-run/tada-run/launcher/refusal"
)

// budget names the limits that a question counts against: those of the processes that it comes
// from, in a workspace. A name that the caller chooses is no part of it.
func (j *Judgement) budget() string {
	folder := j.Request.Dir
	if j.Plan != nil {
		folder = j.Plan.Workspace
	}
	return fmt.Sprintf("%d/%s/%s", os.Getuid(), caller.Tree(os.Getpid()), folder)
}

// question is what a person is asked, and how many persons.
func (j *Judgement) question() approval.Request {
	q := approval.Request{
		Session: j.askerOf(), Payload: j.Payload(), Budget: j.budget(),
		Person: j.Request.Ask != nil && j.Request.Within == nil, Through: j.through(),
	}
	people, self := j.policy.Settings().Approval.For(j.Verdict.Risk)
	if q.Quorum = people; !self {
		q.Requester = Person()
	}
	return q
}

// asksHere reports whether the question is put where the command was typed: not where the person
// could only deny it, nor when it is too long to be judged in passing. That is for the inbox.
func (a *attempt) asksHere(e approval.Envelope) bool {
	if a.Request.Ask == nil || e.Requester == Person() {
		return false
	}
	if who, why := a.l.caller().Who(); a.Request.Within == nil && (who != "" || why != "") { // Ask would say nothing
		fmt.Fprintf(os.Stderr, "tada-run: not asked on this terminal, where no person is recognised: %s\n", why)
		return false
	}
	if !render.Render(e.Payload, render.Options{}).Inline {
		fmt.Fprintln(os.Stderr, "tada-run: the question is too long for this prompt; answer it in: tadactl inbox")
		return false
	}
	return true
}

// cancelled withdraws the question that the person at this terminal left without an answer. Nothing
// is remembered of it but the record: the same command asks again.
func (a *attempt) cancelled(e approval.Envelope, left *prompt.CancelledError) (*refusal.Refusal, error) {
	ctx, cancel := storeContext()
	defer cancel()
	refusal, err := a.change(func() ([]approval.Event, error) { return a.l.store.Cancel(ctx, e.ID, left.Error()) })
	if refusal != nil || err != nil { // it was answered or expired at the last instant
		return refusal, err
	}
	return a.withdrawn(e.ID, a.say("left", left.By)), nil
}
