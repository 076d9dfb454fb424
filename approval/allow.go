package approval

import (
	"slices"

	"github.com/tada-run/tada-run/approval/plan"
)

// allow stores the answer that permits.
func (t *tx) allow(e *entry, d Decision) error {
	if err := t.putDecision(e, d); err != nil {
		return err
	}
	return t.emit(e.event(Event{Kind: KindDecided, Outcome: OutcomeApproved,
		Calls:    slices.Clone(d.Calls),
		Approver: d.Approver, Channel: d.Channel, Took: t.took(e, d), Token: d.token, Via: d.Via}))
}

// deny rejects the envelope and lets its plan cool off.
func (t *tx) deny(e *entry, d Decision) error {
	if err := t.suspend(e); err != nil {
		return err
	}
	if err := t.putDecision(e, d); err != nil {
		return err
	}
	at := t.now.stamp()
	for _, key := range []string{e.PlanHash, kinPrefix + e.Kin} {
		if err := t.put(coolOffBucket, key, plan.Fields{
			"boot": int64(at.boot), "boot_id": at.bootID, "denied_at": plan.FormatTime(at.at),
			"envelope_id": e.ID, "message": firstMessage(d.Calls), "instead": firstInstead(d.Calls),
		}); err != nil {
			return err
		}
	}
	return t.end(e, Rejected, Event{Kind: KindRejected, Outcome: OutcomeDenied,
		Calls:    slices.Clone(d.Calls),
		Approver: d.Approver, Channel: d.Channel, Took: t.took(e, d), Token: d.token, Via: d.Via})
}

func (t *tx) putDecision(e *entry, d Decision) error {
	at := t.now.stamp()
	f := plan.Fields{
		"approver":   d.Approver,
		"boot":       int64(at.boot),
		"boot_id":    at.bootID,
		"channel":    d.Channel,
		"decided_at": plan.FormatTime(at.at),
		"decisions":  callList(d.Calls),
		"factor":     d.Factor,
		"plan_hash":  d.PlanHash,
		"took_ms":    t.took(e, d).Milliseconds(),
	}
	if via := d.Via.fields(); via != nil {
		f["via"] = map[string]any(via)
	}
	return t.put(decisionBucket, e.ID, f)
}

// suspend ends the grants of a session: after one denial, the plans that they covered are asked
// about again.
func (t *tx) suspend(e *entry) error {
	return t.endGrants(KindGrantSuspended, "a denial in the session",
		func(g Grant) bool { return g.Session == e.Session })
}
