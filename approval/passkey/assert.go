package passkey

import (
	"crypto/sha256"

	"github.com/go-webauthn/webauthn/protocol"

	"github.com/tada-run/tada-run/approval"
)

// Prover returns the check of assertions from the pages of an origin; with "" of any origin of the
// host that the passkey is for, as for the record. It does not look at the counter.
func Prover(origin string) approval.Prover {
	return func(c approval.Credential, challenge [sha256.Size]byte, a approval.Assertion) error {
		at, err := checkClient(a.ClientData, string(protocol.AssertCeremony), encode(challenge[:]),
			origin, c.RP)
		if err != nil {
			return err
		}
		if err := checkKey(c.Key); err != nil {
			return err
		}
		raw := protocol.CredentialAssertionResponse{
			AssertionResponse: protocol.AuthenticatorAssertionResponse{
				AuthenticatorData: a.AuthData, Signature: a.Signature}}
		raw.ID, raw.RawID, raw.Type = encode(a.Credential), a.Credential, "public-key"
		raw.AssertionResponse.ClientDataJSON = a.ClientData
		parsed, err := parseAssertion(raw)
		if err != nil {
			return err
		}
		if err := parsed.Verify(encode(challenge[:]), c.RP, "", []string{at}, nil, nil,
			protocol.TopOriginExplicitVerificationMode, false, true, true, c.Key,
			protocol.SignaturePolicy{}); err != nil {
			return refused(approval.ErrSignature, "%s", why(err))
		}
		return nil
	}
}

func parseAssertion(raw protocol.CredentialAssertionResponse) (
	*protocol.ParsedCredentialAssertionData, error) {
	if len(raw.AssertionResponse.AuthenticatorData) > maxResponse {
		return nil, refused(approval.ErrOversized, "what the device says is too long")
	}
	parsed, err := raw.Parse()
	if err != nil {
		return nil, refused(approval.ErrMalformed, "%s", why(err))
	}
	flags := parsed.Response.AuthenticatorData.Flags
	if flags.HasAttestedCredentialData() {
		return nil, refused(approval.ErrMalformed, "an answer came with a new key")
	}
	return parsed, checkFlags(flags)
}

// ReadAssertion reads what PublicKeyCredential.toJSON returns in the browser, for the answer with
// this statement. Nothing of it is checked yet.
func ReadAssertion(response []byte, statement string) (approval.Assertion, error) {
	if len(response) > maxResponse {
		return approval.Assertion{}, refused(approval.ErrOversized, "it has more than %d bytes",
			maxResponse)
	}
	p, err := protocol.ParseCredentialRequestResponseBytes(response)
	if err != nil {
		return approval.Assertion{}, refused(approval.ErrMalformed, "%s", why(err))
	}
	r := p.Raw.AssertionResponse
	return approval.Assertion{Credential: p.RawID, AuthData: r.AuthenticatorData,
		ClientData: r.ClientDataJSON, Signature: r.Signature, Answer: statement}, nil
}

// Counter returns how often the device says that the passkey was used; 0 from devices that do not
// count, and for what is no assertion.
func Counter(a approval.Assertion) uint32 {
	var d protocol.AuthenticatorData
	if len(a.AuthData) > maxResponse || d.Unmarshal(a.AuthData) != nil {
		return 0
	}
	return d.Counter
}

// CheckCounter returns an error if a counter did not go up: then the passkey was copied, or the
// assertion was recorded earlier. A device that does not count says 0 each time.
func CheckCounter(before, now uint32) error {
	if (before != 0 || now != 0) && now <= before {
		return refused(approval.ErrReplayed, "its counter went from %d to %d: it may be a copy; "+
			"try: tadactl key revoke", before, now)
	}
	return nil
}
