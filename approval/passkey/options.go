package passkey

import (
	"crypto/sha256"
	"encoding/json"

	"github.com/tada-run/tada-run/approval"
)

// timeout is how long a browser may ask its user, in milliseconds. What limits an answer is the
// question's own time.
const timeout = 120_000

// CreateOptions returns the options of a pairing, as JSON for the browser's function
// PublicKeyCredential.parseCreationOptionsFromJSON. known are the passkeys that there are already:
// a device that has one of them is not paired again.
func CreateOptions(token, origin, name string, known List) ([]byte, error) {
	host, err := Host(origin)
	if err != nil {
		return nil, err
	}
	challenge := PairingChallenge(token, origin)
	user := sha256.Sum256([]byte("tada-run user v1\n" + name))
	params := []any{}
	for _, a := range algorithms {
		params = append(params, map[string]any{"type": "public-key", "alg": int(a)})
	}
	return json.Marshal(map[string]any{
		"challenge": encode(challenge[:]),
		"rp":        map[string]any{"id": host, "name": "tada-run"},
		"user": map[string]any{"id": encode(user[:]), "name": name,
			"displayName": name},
		"pubKeyCredParams": params,
		"timeout":          timeout,
		"attestation":      "none",
		"authenticatorSelection": map[string]any{"residentKey": "required",
			"requireResidentKey": true, "userVerification": "required"},
		"excludeCredentials": known.descriptors(host),
	})
}

// GetOptions returns the options of an answer, as JSON for the browser's function
// PublicKeyCredential.parseRequestOptionsFromJSON. The answer has its envelope, plan hash and nonce
// hash. The error wraps ErrUntrusted if no passkey is for the host of the page.
func GetOptions(a approval.Answer, origin string, known List) ([]byte, error) {
	text, err := a.Statement()
	if err != nil {
		return nil, err
	}
	return requestOptions(approval.Challenge(a.PlanHash, a.Envelope, text), origin, known)
}

func requestOptions(challenge [sha256.Size]byte, origin string, known List) ([]byte, error) {
	host, err := Host(origin)
	if err != nil {
		return nil, err
	}
	allowed := known.descriptors(host)
	if len(allowed) == 0 {
		return nil, refused(approval.ErrUntrusted,
			"none is paired for %q; on the machine, try: tadactl key pair", host)
	}
	return requestJSON(challenge, host, allowed)
}

// requestJSON is what a browser needs to ask for an assertion.
func requestJSON(challenge [sha256.Size]byte, host string, allowed []any) ([]byte, error) {
	return json.Marshal(map[string]any{
		"challenge": encode(challenge[:]), "rpId": host, "timeout": timeout,
		"userVerification": "required", "allowCredentials": allowed,
	})
}

func (l List) descriptors(host string) []any {
	out := []any{}
	for _, c := range l {
		if c.RP == host {
			out = append(out, map[string]any{"type": "public-key", "id": encode(c.ID)})
		}
	}
	return out
}
