package approval

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// A Refused is the error for one envelope: the reason, and what is to be recorded about it.
type Refused struct {
	Envelope string    // the id; "" if there is none
	Outcome  string    // as in the record: "rejected:replayed", ...
	Message  string    // the message of the person who denied, unescaped
	Instead  string    // the command that the person prefers
	Until    time.Time // until then the same plan is denied without asking; zero if it is not
	Events   []Event   // changes and attempts, to be written to the record
	Err      error     // one of the refusals above
}

func (r *Refused) Error() string {
	if r.Envelope == "" {
		return "approval: " + r.Err.Error()
	}
	return fmt.Sprintf("approval: question %q: %v", r.Envelope, r.Err)
}

// Unwrap returns the refusal, for errors.Is.
func (r *Refused) Unwrap() error { return r.Err }

// isRefusal stores err in refusal if it is one. A refusal does not undo the transaction, because
// what it found out (that the time is over, that bytes were changed) is stored with it.
func isRefusal(err error, refusal *error) bool {
	var r *Refused
	if !errors.As(err, &r) {
		return false
	}
	*refusal = err
	return true
}

func complete(events []Event, now Clock, e *entry, refusal, err error) error {
	if err != nil {
		return err
	}
	if r, ok := errors.AsType[*Refused](refusal); ok {
		for i := range r.Events {
			r.Events[i].Time = now.Now.UTC()
		}
		r.Events = append(slices.Clone(events), r.Events...)
	} else if e != nil {
		e.Events = events
	}
	return nil
}

// refuse makes the refusal of an attempt that changes nothing.
func (e *entry) refuse(outcome string, cause error) *Refused {
	return &Refused{Envelope: e.ID, Outcome: outcome, Err: cause,
		Events: []Event{e.event(Event{Kind: KindRefused, Outcome: outcome})}}
}
