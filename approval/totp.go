package approval

import (
	"context"
	"encoding/base32"
	"fmt"
	"io"
	"net/url"

	"github.com/tada-run/tada-run/approval/plan"
)

// EnrollTOTP makes a new secret for one-time codes and returns the otpauth URI that authenticators
// read. From then on the highest risk requires a code, a signature, or a second person. If there is
// a secret already, Old must be a code of it, because the holder of the new secret can answer.
// Otherwise the error is ErrFactor or ErrCodeUsed.
func (s *Store) EnrollTOTP(ctx context.Context, e Enrolment) (string, []Event, error) {
	secret := make([]byte, 20) // RFC 4226, 4: at least 128 bits, 160 recommended
	if _, err := io.ReadFull(s.o.Rand, secret); err != nil {
		return "", nil, fmt.Errorf("approval: reading randomness: %w", err)
	}
	events, err := s.withCode(ctx, e, func(t *tx) error {
		ev := e.event(OutcomeEnrolled, "one-time codes")
		if t.hasTOTP() {
			ev.Outcome = OutcomeReplaced
		}
		if err := t.put(healthBucket, totpKey,
			plan.Fields{"secret": string(secret), "step": 0}); err != nil {
			return err
		}
		return t.emit(ev)
	})
	if err != nil {
		return "", nil, err
	}
	text := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(secret)
	q := url.Values{"secret": {text}, "issuer": {"tada-run"}}
	return "otpauth://totp/" + url.PathEscape("tada-run:"+e.Account) + "?" + q.Encode(), events, nil
}

// RemoveTOTP removes the secret, for a code of it.
func (s *Store) RemoveTOTP(ctx context.Context, e Enrolment) ([]Event, error) {
	return s.withCode(ctx, e, func(t *tx) error {
		if !t.hasTOTP() {
			return nil
		}
		if err := t.delete(healthBucket, totpKey); err != nil {
			return err
		}
		return t.emit(e.event(OutcomeRemoved, "one-time codes"))
	})
}

// HasTOTP reports whether there is a secret.
func (s *Store) HasTOTP(ctx context.Context) (has bool, err error) {
	err = s.view(ctx, func(t *tx) error {
		has = t.hasTOTP()
		return nil
	})
	return has, err
}

// SpendTOTP spends a code for something other than a question, such as trusting a key.
func (s *Store) SpendTOTP(ctx context.Context, e Enrolment) error {
	_, err := s.withCode(ctx, e, func(*tx) error { return nil })
	return err
}

// withCode does something for a code of the current secret, in one transaction; at once if there is
// no secret. It accepts one wrong code in each step of the clock, so that a program cannot try a
// million.
func (s *Store) withCode(ctx context.Context, e Enrolment, do func(*tx) error) ([]Event, error) {
	var events []Event
	var wrong error
	err := s.update(ctx, func(t *tx) error {
		if wrong = t.takeCode(e.Old); wrong == nil {
			if err := do(t); err != nil {
				return err
			}
		}
		events = t.events
		return nil
	})
	if err == nil && wrong != nil {
		ev := e.event(OutcomeDenied, "a wrong one-time code")
		ev.Kind, ev.Time = KindRefused, s.o.Clock().Now.UTC()
		err = &Refused{Outcome: OutcomeDenied, Err: wrong, Events: []Event{ev}}
	}
	if err != nil {
		return nil, err
	}
	return events, nil
}
