package approval

import (
	"time"

	"github.com/tada-run/tada-run/approval/plan"
)

// Questions are near-identical if the same agent asks them about the same work in the same
// directory, with the same tools, for the same rules and at the same risk. They differ only in the
// words that the rules are about. Shown together, they tell a person what an agent is trying to do,
// and a question after a denial is not presented as a new one. Nothing else follows from it: each
// has its own answer.

// kinPrefix begins the keys under which denials of near-identical questions are stored.
const kinPrefix = "kin "

// refusedKin returns the envelope of a near-identical plan that cools off, or "".
func (t *tx) refusedKin(kin string) (string, error) {
	f, _, err := t.denied(kinPrefix + kin)
	return f.Text("envelope_id"), err
}

// coolingOff refuses a plan that was denied a short while ago, whichever session asks again: a
// person who denied it once must not be worn down.
func (t *tx) coolingOff(r Request, p plan.Plan, hash string) error {
	f, until, err := t.denied(hash)
	if err != nil || f == nil {
		return err
	}
	return &Refused{
		Envelope: f.Text("envelope_id"),
		Outcome:  OutcomeDenied,
		Message:  f.Text("message"),
		Instead:  f.Text("instead"),
		Until:    until,
		Err:      ErrDenied,
		Events: []Event{{Time: t.now.Now.UTC(), Kind: KindRefused, Envelope: f.Text("envelope_id"),
			WorkItem: p.WorkItem,
			Session:  r.Session, PlanHash: hash, From: Rejected, To: Rejected,
			Outcome: OutcomeDenied, Computed: hash}},
	}
}

// denied returns the denial stored under key and when it ends; nil if there is none or it has
// ended.
func (t *tx) denied(key string) (plan.Fields, time.Time, error) {
	f, err := t.get(coolOffBucket, key)
	if err != nil {
		return nil, time.Time{}, &Refused{Outcome: OutcomeTampered, Err: ErrTampered}
	}
	at := stamp{at: f.Time("denied_at"), boot: time.Duration(f.Number("boot")),
		bootID: f.Text("boot_id")}
	if f == nil || !at.within(t.now, t.o.CoolOff, t.o.Skew) {
		return nil, time.Time{}, nil
	}
	return f, at.at.Add(t.o.CoolOff), nil
}

// coolingBy returns the keys of what cools off because of the denial of id. It leaves out a note
// with a broken seal: what cannot be read still denies.
func (t *tx) coolingBy(id string) (keys []string) {
	for _, key := range t.keys(coolOffBucket) {
		if f, _, err := t.denied(key); err == nil && f != nil && f.Text("envelope_id") == id {
			keys = append(keys, key)
		}
	}
	return keys
}
