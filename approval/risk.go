package approval

import (
	"crypto/hmac"
	"crypto/sha256"
	"strings"

	"github.com/tada-run/tada-run/approval/plan"
)

// challengeLetters has no two characters that a hurried reader confuses: no 0 O, 1 I. There are 32,
// so every byte of a digest picks one without bias.
const challengeLetters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"

// challenge derives the characters to type from the nonce, so that they are bound to one envelope
// and unknown before it is shown: an answer typed for another prompt does not match.
func challenge(nonce []byte, n int) string {
	mac := hmac.New(sha256.New, nonce)
	mac.Write([]byte("challenge"))
	out := make([]byte, n)
	for i, c := range mac.Sum(nil)[:n] {
		out[i] = challengeLetters[c%32]
	}
	return string(out)
}

// typed reports whether an answer is the challenge; case and surrounding space do not matter.
func typed(answer, want string) bool {
	return hmac.Equal([]byte(strings.ToUpper(strings.TrimSpace(answer))), []byte(want))
}

// The characters to type while the brake is on, for a low and for a higher risk.
const (
	brakedLow  = 4
	brakedHigh = 8
)

func braked(f plan.Friction) plan.Friction {
	f.Challenge = max(f.Challenge, brakedLow)
	if f.Level > 1 {
		f.Challenge = max(f.Challenge, brakedHigh)
	}
	return f
}

// brakeKey is the key of the brake, in healthBucket.
const brakeKey = "brake"

// brakeOn reports whether the brake is on. If its note was changed, it is on.
func (t *tx) brakeOn() bool {
	f, err := t.get(healthBucket, brakeKey)
	return err != nil || f.Flag("on")
}
