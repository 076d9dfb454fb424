package approval

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
)

// One-time codes as RFC 6238 has them, with the parameters that every authenticator knows: SHA-1,
// 6 digits, 30 seconds. A code is good in its own step, the one before and the one after, and only
// once, for whatever envelope it was used: a code that was read over a shoulder opens nothing.
const (
	totpStep   = 30
	totpDigits = 6
	totpWindow = 1

	// Three of a million codes fit at a time; an envelope that saw this many wrong ones is
	// withdrawn.
	maxWrongCodes = 5
)

func totpCode(secret []byte, step int64) string {
	var msg [8]byte
	binary.BigEndian.PutUint64(msg[:], uint64(step))
	mac := hmac.New(sha1.New, secret) // RFC 4226, 5.3
	mac.Write(msg[:])
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 15
	n := binary.BigEndian.Uint32(sum[at:]) & 0x7fffffff
	return fmt.Sprintf("%0*d", totpDigits, n%1_000_000)
}

// matchTOTP returns the step whose code this is, among those that are good at a time.
func matchTOTP(secret []byte, code string, now time.Time) (int64, bool) {
	code = strings.ReplaceAll(strings.TrimSpace(code), " ", "")
	here := now.Unix() / totpStep
	for step := here - totpWindow; step <= here+totpWindow; step++ {
		if hmac.Equal([]byte(totpCode(secret, step)), []byte(code)) {
			return step, true
		}
	}
	return 0, false
}

// An Enrolment is who changes what proves a person, and with what.
type Enrolment struct {
	Account  string // as the authenticator shows it
	Old      string // a code of the secret that is there
	Approver string
	Via      Via
}

// EnrollTOTP makes a new secret for one-time codes and returns the otpauth URI that
// authenticators read. From then on the highest risk needs a code, or a signature, or a second
// person. Where there is a secret already, Old must be a code of that one: whoever holds the
// new secret can answer. The error is ErrFactor or ErrCodeUsed otherwise.
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
		if err := t.put(healthBucket, totpKey, plan.Fields{"secret": string(secret), "step": 0}); err != nil {
			return err
		}
		return t.emit(ev)
	})
	if err != nil {
		return "", nil, err
	}
	q := url.Values{"secret": {base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(secret)}, "issuer": {"tada-run"}}
	return "otpauth://totp/" + url.PathEscape("tada-run:"+e.Account) + "?" + q.Encode(), events, nil
}

// RemoveTOTP takes the secret away again, for a code of it.
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

// SpendTOTP takes a code for something that is not a question, such as to trust a key.
func (s *Store) SpendTOTP(ctx context.Context, e Enrolment) error {
	_, err := s.withCode(ctx, e, func(*tx) error { return nil })
	return err
}

// event tells of a change of what proves a person.
func (e Enrolment) event(outcome, what string) Event {
	return Event{Kind: KindFactor, Outcome: outcome, Reason: what, Approver: e.Approver, Channel: string(e.Via.Channel), Via: e.Via}
}

// FactorEvent tells of a key that is trusted, or no longer, at a time.
func FactorEvent(now time.Time, e Enrolment, outcome, what string) Event {
	ev := e.event(outcome, what)
	ev.Time = now.UTC()
	return ev
}

// withCode does something for a code of the secret that is there, in one transaction; where there
// is none, at once. One wrong code is taken in each step of the clock, so that nobody tries a
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

// takeCode spends a code of the secret that is there. The error is ErrFactor or ErrCodeUsed.
func (t *tx) takeCode(code string) error {
	if !t.hasTOTP() {
		return nil
	}
	f, err := t.get(healthBucket, totpKey)
	if err != nil || f == nil {
		return ErrFactor
	}
	here := t.now.Now.Unix() / totpStep
	if f.Number("tried") >= here {
		return ErrCodeUsed
	}
	step, ok := matchTOTP([]byte(f.Text("secret")), code, t.now.Now)
	switch {
	case ok && step <= f.Number("step"):
		return ErrCodeUsed
	case ok:
		f["step"] = step
	default:
		f["tried"] = here
	}
	if err := t.put(healthBucket, totpKey, f); err != nil || !ok {
		return ErrFactor
	}
	return nil
}

// hasTOTP reports whether codes are set up. A secret that was changed counts: it must not be a way
// to do without codes.
func (t *tx) hasTOTP() bool { return t.raw(healthBucket, totpKey) != nil }

// checkCode spends a one-time code for one envelope.
func (t *tx) checkCode(e *entry, code string) error {
	f, err := t.get(healthBucket, totpKey)
	if err != nil || f == nil {
		return e.refuse(OutcomeDenied, ErrFactor)
	}
	step, ok := matchTOTP([]byte(f.Text("secret")), code, t.now.Now)
	if ok && step > f.Number("step") {
		f["step"] = step
		return t.put(healthBucket, totpKey, f)
	}
	wrong, err := t.get(wrongBucket, e.ID)
	if err != nil {
		return e.refuse(OutcomeDenied, ErrFactor)
	}
	n := wrong.Number("wrong") + 1
	if n >= maxWrongCodes {
		if err := t.bury(e, Rejected, Event{Kind: KindRejected, Outcome: OutcomeCancelled, Reason: "too many wrong codes"}); err != nil {
			return err
		}
		return &Refused{Envelope: e.ID, Outcome: OutcomeCancelled, Err: ErrFactor}
	}
	if err := t.put(wrongBucket, e.ID, plan.Fields{"wrong": n}); err != nil {
		return err
	}
	if ok {
		return e.refuse(OutcomeDenied, ErrCodeUsed)
	}
	return e.refuse(OutcomeDenied, ErrFactor)
}
