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
)

// One-time codes as RFC 6238 has them, with the parameters that every authenticator knows: SHA-1,
// 6 digits, 30 seconds. A code is good in its own step, the one before and the one after, and only
// once, for whatever envelope it was used: a code that was read over a shoulder opens nothing.
const (
	totpStep   = 30
	totpDigits = 6
	totpWindow = 1

	// Three of a million codes fit at a time; an envelope that saw this many wrong ones is withdrawn.
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

// An Enroller is a [Store] that can check one-time codes.
type Enroller interface {
	EnrollTOTP(ctx context.Context, account string) (uri string, err error)
}

// EnrollTOTP makes a new secret for one-time codes and returns the otpauth URI that authenticators
// read. From then on the highest risk needs a code, or a signature, or a second person. A
// second call replaces the secret, so it must be a person's: whoever holds the new one can answer.
func (b *Bolt) EnrollTOTP(ctx context.Context, account string) (string, error) {
	secret := make([]byte, 20) // RFC 4226, 4: at least 128 bits, 160 recommended
	if _, err := io.ReadFull(b.o.Rand, secret); err != nil {
		return "", fmt.Errorf("approval: reading randomness: %w", err)
	}
	err := b.update(ctx, func(t *tx) error {
		return t.put(healthBucket, totpKey, fields{"secret": string(secret), "step": 0})
	})
	if err != nil {
		return "", err
	}
	q := url.Values{"secret": {base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(secret)}, "issuer": {"tada-run"}}
	return "otpauth://totp/" + url.PathEscape("tada-run:"+account) + "?" + q.Encode(), nil
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
	step, ok := matchTOTP([]byte(f.text("secret")), code, t.now.Now)
	if ok && step > f.number("step") {
		f["step"] = step
		return t.put(healthBucket, totpKey, f)
	}
	wrong, err := t.get(wrongBucket, e.ID)
	if err != nil {
		return e.refuse(OutcomeDenied, ErrFactor)
	}
	n := wrong.number("wrong") + 1
	if n >= maxWrongCodes {
		if err := t.bury(e, Rejected, Event{Kind: KindRejected, Outcome: OutcomeCancelled, Reason: "too many wrong codes"}); err != nil {
			return err
		}
		return &Refused{Envelope: e.ID, Outcome: OutcomeCancelled, Err: ErrFactor}
	}
	if err := t.put(wrongBucket, e.ID, fields{"wrong": n}); err != nil {
		return err
	}
	if ok {
		return e.refuse(OutcomeDenied, ErrCodeUsed)
	}
	return e.refuse(OutcomeDenied, ErrFactor)
}
