package approval

import (
	"crypto/hmac"
	"crypto/sha256"
	"strings"
)

// Friction is what an approval costs the person who gives it. A key press that is the same for
// everything soon becomes a reflex, so what cannot be undone asks for more than a key.
type Friction struct {
	Level     int    // 1 to 3, for display as R1, R2, R3
	Name      string // "low", "high", "critical"
	Challenge int    // characters of [Envelope.Challenge] to be typed; 0 when one key is enough
	Factor    bool   // a second factor or a second person is needed as well
}

// ladder is indexed by the risk in the payload; what stands beyond it is the last step.
var ladder = [...]Friction{
	0: {Level: 1, Name: "low"},
	1: {Level: 1, Name: "low"},
	2: {Level: 2, Name: "high", Challenge: 4},
	3: {Level: 3, Name: "critical", Challenge: 8, Factor: true},
}

// FrictionOf returns the friction for a risk between 0 and 3. Any other number, which includes a
// payload that names none, gets the highest.
func FrictionOf(risk int) Friction {
	if risk < 0 || risk >= len(ladder) {
		risk = len(ladder) - 1
	}
	return ladder[risk]
}

// challengeLetters has no two characters that a hurried reader confuses: no 0 O, 1 I. With 32 of
// them every byte of a digest picks one without bias.
const challengeLetters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"

// challenge derives the characters to type from the nonce, so that they are bound to one envelope
// and known to nobody who did not open it: an answer typed for another prompt does not fit.
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
