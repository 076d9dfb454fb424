package passkey

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"

	"github.com/tada-run/tada-run/approval"
)

// algorithms are the ones that are asked for: EdDSA and ES256, which every device has.
var algorithms = []webauthncose.COSEAlgorithmIdentifier{webauthncose.AlgES256,
	webauthncose.AlgEdDSA}

// checkKey returns why a public key is not one of these algorithms with its one curve.
func checkKey(cose []byte) error {
	key, err := webauthncose.ParsePublicKey(cose)
	if err != nil {
		return refused(approval.ErrMalformed, "its key cannot be read: %v", err)
	}
	switch k := key.(type) {
	case webauthncose.EC2PublicKeyData:
		if k.Algorithm == int64(webauthncose.AlgES256) && k.Curve == int64(webauthncose.P256) {
			return nil
		}
	case webauthncose.OKPPublicKeyData:
		if k.Algorithm == int64(webauthncose.AlgEdDSA) && k.Curve == int64(webauthncose.Ed25519) {
			return nil
		}
	}
	return refused(approval.ErrMalformed, "its key is neither ES256 nor EdDSA")
}

// checkFlags returns why the flags of a device are not those of a ceremony in which it verified its
// user.
func checkFlags(f protocol.AuthenticatorFlags) error {
	switch {
	case !f.HasUserPresent():
		return refused(approval.ErrSignature, "the device did not see its user")
	case !f.HasUserVerified():
		return refused(approval.ErrSignature, "the device did not verify its user")
	case f.HasBackupState() && !f.HasBackupEligible():
		return refused(approval.ErrMalformed, "the device contradicts itself about backups")
	}
	return nil
}

// why is what a person reads of an error of the library. Whoever sent a response may have written
// parts of it, so it is one short line of text.
func why(err error) string {
	text := err.Error()
	if e := (*protocol.Error)(nil); errors.As(err, &e) && e.DevInfo != "" {
		text = e.Details + ": " + e.DevInfo
	}
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
	return fmt.Sprintf("%.200s", text)
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
