package launcher

import (
	"fmt"
	"os"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/caller"
	"github.com/tada-run/tada-run/launcher/permit"
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

// Asked is what a person is asked, and how many persons.
func (j *Judgement) Asked() approval.Request {
	q := approval.Request{
		Session: j.Asker(), Payload: j.Payload(), Budget: j.budget(),
		Person: j.Request.Ask != nil && j.Request.Within == nil, Through: j.through(),
	}
	people, self := j.policy.Settings().Approval.For(j.Verdict.Risk)
	if q.Quorum = people; !self {
		q.Requester = permit.Person()
	}
	return q
}
