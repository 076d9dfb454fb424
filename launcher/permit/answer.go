package permit

import "github.com/tada-run/tada-run/approval"

// Answer is the same answer to every call of the envelope, given on channel by the user of
// this process.
func Answer(e approval.Envelope, yes bool, message, channel string) approval.Decision {
	d := approval.Decision{
		Envelope: e.ID, PlanHash: e.PlanHash, Channel: channel, Approver: Person(),
	}
	for _, id := range e.Calls {
		d.Calls = append(d.Calls, approval.CallDecision{ID: id, Approved: yes, Message: message})
	}
	return d
}
