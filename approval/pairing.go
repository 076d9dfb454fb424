package approval

import (
	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
)

// PairingBody returns the body of the log entry that a passkey was paired or revoked: that of e,
// and the passkey.
func PairingBody(e Event, c Credential) ([]byte, error) {
	f := e.fields()
	f["credential"] = map[string]any(c.fields())
	return canonical.Append(nil, map[string]any(f))
}

// ReadPairing returns the passkey that the body of a log entry is about; ok is false if it is about
// none.
func ReadPairing(body []byte) (c Credential, ok bool) {
	v, err := canonical.Parse(body)
	f := plan.AsFields(plan.AsFields(v)["credential"])
	if err != nil || len(f) == 0 {
		return Credential{}, false
	}
	return readCredential(f), true
}
