package approval

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
)

// One-time codes after RFC 6238, with the parameters that every authenticator supports: SHA-1, 6
// digits, 30 seconds. A code is valid in its own step, the one before and the one after, and only
// once, for whichever envelope it was used: a code read over a shoulder is useless.
const (
	totpStep   = 30
	totpDigits = 6
	totpWindow = 1

	// At any time, three of a million codes are valid. An envelope is withdrawn after this many
	// wrong ones.
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

// matchTOTP returns the step of this code, if it is one of those that are valid at now.
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

// An Enrolment is a change of a second factor: who makes it, and with what.
type Enrolment struct {
	Account  string // as the authenticator shows it
	Old      string // a code of the current secret
	Approver string
	Via      Via
}

// event describes a change of a second factor.
func (e Enrolment) event(outcome, what string) Event {
	return Event{Kind: KindFactor, Outcome: outcome, Reason: what, Approver: e.Approver,
		Channel: string(e.Via.Channel), Via: e.Via}
}

// FactorEvent describes a key that became trusted, or is no longer trusted.
func FactorEvent(now time.Time, e Enrolment, outcome, what string) Event {
	ev := e.event(outcome, what)
	ev.Time = now.UTC()
	return ev
}

// takeCode spends a code of the current secret. The error is ErrFactor or ErrCodeUsed.
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
		if err := t.end(e, Rejected,
			Event{Kind: KindRejected, Outcome: OutcomeCancelled,
				Reason: "too many wrong codes"}); err != nil {
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
