package approval

import (
	"crypto/sha256"

	"github.com/tada-run/tada-run/approval/canonical"
)

// KindSession is the kind of the log entry of a [Visitor].
const KindSession = "console.session"

// SignInChallenge returns what a passkey signs to let its browser in to the console. No answer, act
// or pairing begins with these words, so what was signed for one of them is no sign-in, and a
// sign-in is none of them. A ticket has no line break; it is good once.
func SignInChallenge(ticket, origin string) [sha256.Size]byte {
	return sha256.Sum256([]byte("tada-run sign-in v1\n" + ticket + "\n" + origin))
}

// A Visitor is what happened to a session of the console, for the log.
type Visitor struct {
	Did    string // "began", "ended", "refused" or "unsubscribed"
	ID     string // of the session; "" if there was none
	Device string // the browser
	How    string // it was let in: "link", "passkey" or "pairing"
	Why    string // it ended or was refused, or the device that is no longer notified
}

// Body returns the body of the log entry.
func (v Visitor) Body() ([]byte, error) {
	return canonical.Append(nil, map[string]any{"device": v.Device, "did": v.Did, "how": v.How,
		"id": v.ID, "why": v.Why})
}
