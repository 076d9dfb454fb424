package passkey

import (
	"crypto/sha256"
	"slices"

	"github.com/go-webauthn/webauthn/protocol"

	"github.com/tada-run/tada-run/approval"
)

// PairingChallenge returns what a device signs to be paired with a token from a page.
func PairingChallenge(token, origin string) [sha256.Size]byte {
	return sha256.Sum256([]byte("tada-run pairing v1\n" + token + "\n" + origin))
}

// Created checks what PublicKeyCredential.toJSON returns in the browser after a pairing, and
// returns the new passkey, without name and risk.
func Created(response []byte, token, origin string) (approval.Credential, error) {
	none := approval.Credential{}
	if len(response) > maxResponse {
		return none, refused(approval.ErrOversized, "it has more than %d bytes", maxResponse)
	}
	host, err := Host(origin)
	if err != nil {
		return none, refused(approval.ErrMalformed, "%v", err)
	}
	p, err := protocol.ParseCredentialCreationResponseBytes(response)
	if err != nil {
		return none, refused(approval.ErrMalformed, "%s", why(err))
	}
	challenge := PairingChallenge(token, origin)
	if _, err := checkClient(p.Raw.AttestationResponse.ClientDataJSON,
		string(protocol.CreateCeremony), encode(challenge[:]), origin, host); err != nil {
		return none, err
	}
	object := p.Response.AttestationObject
	if object.Format != string(protocol.AttestationFormatNone) {
		return none, refused(approval.ErrMalformed,
			"it has an attestation, which was not requested")
	}
	if err := checkFlags(object.AuthData.Flags); err != nil {
		return none, err
	}
	var params []protocol.CredentialParameter
	for _, a := range algorithms {
		params = append(params, protocol.CredentialParameter{Type: "public-key", Algorithm: a})
	}
	if _, err := p.Verify(encode(challenge[:]), host, []string{origin}, nil, nil,
		protocol.TopOriginExplicitVerificationMode, false, true, true, nil, params,
		protocol.AttestationPolicy{}, protocol.SignaturePolicy{}); err != nil {
		return none, refused(approval.ErrSignature, "%s", why(err))
	}
	c := approval.Credential{ID: slices.Clone(object.AuthData.AttData.CredentialID),
		Key: object.AuthData.AttData.CredentialPublicKey, RP: host}
	return c, checkKey(c.Key)
}
