package approval

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval/plan"
)

// vote stores an approval that is not enough by itself.
func (t *tx) vote(e *entry, d Decision) error {
	list := t.votes(e.ID)
	calls, approvers := slices.Clone(d.Calls), []string{d.Approver}
	for _, v := range list {
		m, _ := v.(map[string]any)
		if plan.AsFields(m).Text("person") == d.person() {
			return e.refuse(OutcomeReplayed, ErrVoted)
		}
		approvers = append(approvers, plan.AsFields(m).Text("approver"))
		calls = both(calls, readCalls(plan.AsFields(m).List("decisions")))
	}
	if len(list)+1 < e.Quorum {
		list = append(list, map[string]any{"approver": d.Approver, "decisions": callList(d.Calls),
			"person": d.person()})
		if err := t.put(voteBucket, e.ID, plan.Fields{"votes": list}); err != nil {
			return err
		}
		return t.emit(e.event(Event{Kind: KindVoted, Outcome: OutcomeApproved,
			Calls:    slices.Clone(d.Calls),
			Approver: d.Approver, Channel: d.Channel, Took: t.took(e, d), Token: d.token,
			Via: d.Via}))
	}
	slices.Sort(approvers)
	d.Calls, d.Approver = calls, strings.Join(approvers, ", ")
	if !d.approvesAny() {
		return t.deny(e, d)
	}
	return t.allow(e, d)
}

// both allows the calls that both lists allow, with the message of the person who denied.
func both(a, b []CallDecision) []CallDecision {
	if len(a) != len(b) {
		return make([]CallDecision, len(a)) // denies
	}
	out := slices.Clone(a)
	for i := range out {
		if out[i].ID != b[i].ID || out[i].Approved && !b[i].Approved {
			out[i].Approved, out[i].Message = false, b[i].Message
		}
	}
	return out
}
