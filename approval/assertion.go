package approval

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/tada-run/tada-run/approval/plan"
)

// An Assertion is what a passkey signed: the signature is over AuthData and the SHA-256 of
// ClientData, which has the [Challenge].
type Assertion struct {
	Credential []byte // the id
	AuthData   []byte
	ClientData []byte // JSON, as the browser wrote it
	Signature  []byte
	Answer     string // what the challenge was made of, besides plan and envelope
}

// fields is nil for the zero Assertion.
func (a Assertion) fields() plan.Fields {
	if len(a.Credential) == 0 {
		return nil
	}
	return plan.Fields{"answer": a.Answer, "auth_data": encode(a.AuthData),
		"client_data": encode(a.ClientData), "credential": encode(a.Credential),
		"signature": encode(a.Signature)}
}

// readAssertion returns the zero Assertion for anything that fields did not write.
func readAssertion(f plan.Fields) Assertion {
	a := Assertion{Credential: decode(f.Text("credential")), AuthData: decode(f.Text("auth_data")),
		ClientData: decode(f.Text("client_data")), Signature: decode(f.Text("signature")),
		Answer: f.Text("answer")}
	again := a.fields()
	for name := range f {
		if text, ok := f[name].(string); !ok || again[name] != text {
			return Assertion{}
		}
	}
	if len(f) != len(again) {
		return Assertion{}
	}
	return a
}

// TokenID returns the id by which an assertion is remembered, so that it is taken once. Two devices
// that do not count say the same about the same answer, so their ids are part of it. The signature
// is not: of an ECDSA signature anyone can make a second one.
func (a Assertion) TokenID() string {
	h := sha256.New()
	for _, part := range [][]byte{a.Credential, a.AuthData, a.ClientData} {
		sum := sha256.Sum256(part)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
