package approval

import (
	"crypto/hmac"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/tada-run/tada-run/approval/render"
)

func (t *tx) decide(e *entry, d Decision) error {
	if err := t.fits(e, d); err != nil {
		return err
	}
	if e.canary {
		return t.decideCanary(e, d)
	}
	if d.approvesAny() {
		if err := t.earned(e, &d); err != nil {
			return err
		}
	}
	if !d.signed { // a signer had time to read elsewhere
		if err := t.answered(e, d, t.took(e, d)); err != nil {
			return err
		}
	}
	if !d.approvesAny() {
		return t.deny(e, d)
	}
	if !d.approvesAll() {
		if err := t.suspend(e); err != nil {
			return err
		}
	}
	if e.Quorum > 1 {
		return t.vote(e, d)
	}
	return t.allow(e, d)
}

// fits checks that a decision answers this question, whatever it says.
func (t *tx) fits(e *entry, d Decision) error {
	switch {
	case e.Decision != nil:
		return e.refuse(OutcomeReplayed, ErrDecided)
	case !hmac.Equal([]byte(d.PlanHash), []byte(e.PlanHash)):
		r := e.refuse(OutcomeMismatch, ErrMismatch)
		r.Events[0].Computed = d.PlanHash
		return r
	}
	if err := pairing(d.Calls, e.Calls); err != nil {
		r := e.refuse(OutcomeBijection, err)
		r.Events[0].Reason = err.Error()
		return r
	}
	for _, c := range d.Calls {
		if n := utf8.RuneCountInString(c.Message); n > MaxMessage {
			return e.oversized(
				"message for %q has %d characters, more than %d", c.ID, n, MaxMessage)
		}
		if n := len(c.Instead); n > MaxInstead || n > 0 && c.Approved {
			return e.oversized("command in the place of %q has %d bytes; at most %d, "+
				"and with a denial only", c.ID, n, MaxInstead)
		}
	}
	return nil
}

func (e *entry) oversized(format string, args ...any) *Refused {
	r := e.refuse(OutcomeOversized, ErrOversized)
	r.Events[0].Reason = fmt.Sprintf(format, args...)
	return r
}

// pairing says how decisions and calls fail to pair up one to one and in order; nil when they do.
func pairing(decisions []CallDecision, calls []string) error {
	seen := map[string]bool{}
	inOrder := len(decisions) == len(calls)
	for i, d := range decisions {
		if seen[d.ID] {
			return ErrDuplicated
		}
		if !slices.Contains(calls, d.ID) {
			return ErrBijection
		}
		seen[d.ID] = true
		inOrder = inOrder && d.ID == calls[i]
	}
	switch {
	case inOrder && len(calls) > 0:
		return nil
	case len(decisions) == len(calls) && len(calls) > 0:
		return ErrReordered
	}
	return ErrBijection
}

// earned checks that the approver did what the risk requires. A signature made by a trusted key on
// another machine replaces the challenge and the second factor.
func (t *tx) earned(e *entry, d *Decision) error {
	switch {
	case e.Requester != "" && d.person() == e.Requester:
		return e.refuse(OutcomeDenied, ErrSelf)
	case d.signed:
		return nil
	case e.Friction.Challenge > 0 && !typed(d.Challenge, e.Challenge):
		return e.refuse(OutcomeDenied, ErrChallenge)
	case !d.Paged && render.Render(e.Payload, render.Options{}).Truncated:
		return e.refuse(OutcomeDenied, ErrUnread)
	case t.took(e, *d) < e.ReadingTime():
		return t.hasty(e, *d)
	case e.Friction.Factor && d.Code != "":
		if err := t.checkCode(e, d.Code); err != nil {
			return err
		}
		d.Factor = "totp"
	case e.Friction.Factor && d.Factor == "" && e.Quorum < 2:
		return e.refuse(OutcomeDenied, ErrFactor)
	}
	return nil
}
