package approval

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
)

// MaxToken is the maximum length of a signed answer, in bytes.
const MaxToken = 64 << 10

func seal64(head, domain string, payload []byte, key ed25519.PrivateKey) []byte {
	sig := ed25519.Sign(key, append([]byte(domain), payload...))
	enc := base64.RawURLEncoding
	return []byte(head + enc.EncodeToString(payload) + "." + enc.EncodeToString(sig) + "\n")
}

// open64 splits a signed line. It does not check the signature: the payload says which key must
// have made it.
func open64(head string, text []byte) (payload, sig []byte, err error) {
	if len(text) > MaxToken {
		return nil, nil, tokenError(ErrOversized, "it has more than %d bytes", MaxToken)
	}
	rest, ok := strings.CutPrefix(strings.TrimSuffix(string(text), "\n"), head)
	if !ok {
		if strings.HasPrefix(head, string(text)) {
			return nil, nil, tokenError(ErrTruncated, "it ends before its first dot")
		}
		return nil, nil, tokenError(ErrMalformed, "it does not begin with %q", head)
	}
	body, tail, ok := strings.Cut(rest, ".")
	if !ok {
		return nil, nil, tokenError(ErrTruncated, "it has no signature")
	}
	enc := base64.RawURLEncoding.Strict()
	if len(tail) < enc.EncodedLen(ed25519.SignatureSize) {
		return nil, nil, tokenError(ErrTruncated, "its signature is cut off")
	}
	payload, err = enc.DecodeString(body)
	if err == nil {
		sig, err = enc.DecodeString(tail)
	}
	if err != nil || len(sig) != ed25519.SignatureSize || strings.ContainsAny(rest, "\r\n") {
		return nil, nil, tokenError(ErrMalformed, "it is not base64url")
	}
	return payload, sig, nil
}

// A TokenError says what is wrong with a signed text. Err is one of the errors of this package.
type TokenError struct {
	Err    error
	Detail string
}

func (e *TokenError) Error() string {
	return fmt.Sprintf("approval: signed answer: %v: %s", e.Err, e.Detail)
}

// Unwrap returns the cause, for errors.Is.
func (e *TokenError) Unwrap() error { return e.Err }

func tokenError(err error, format string, args ...any) error {
	return &TokenError{Err: err, Detail: fmt.Sprintf(format, args...)}
}

// readMembers parses a signed payload that must have exactly these members.
func readMembers(payload []byte, members map[string]any) (plan.Fields, error) {
	v, err := canonical.Parse(payload)
	if err != nil {
		return nil, tokenError(ErrMalformed, "%v", err)
	}
	f, ok := v.(map[string]any)
	if !ok || len(f) != len(members) {
		return nil, tokenError(ErrMalformed, "its members are wrong")
	}
	for name, sample := range members {
		if fmt.Sprintf("%T", f[name]) != fmt.Sprintf("%T", sample) {
			return nil, tokenError(ErrMalformed, "member %q is missing or of another type", name)
		}
	}
	if f["v"] != int64(1) {
		return nil, tokenError(ErrMalformed, "its version is %v", f["v"])
	}
	return f, nil
}

// tokenSkew is how far apart the clocks of two machines may be.
const tokenSkew = time.Minute

func checkWindow(aud, audience string, from, to, now time.Time, life time.Duration) error {
	switch {
	case aud != audience || aud == "":
		return tokenError(ErrAudience, "it is for %q, this is %q", aud, audience)
	case !now.Before(to):
		return tokenError(ErrExpired, "it expired at %s", plan.FormatTime(to))
	case from.Sub(now) > tokenSkew:
		return tokenError(ErrExpired, "it is valid from %s", plan.FormatTime(from))
	case to.Sub(from) > life || !to.After(from):
		return tokenError(ErrScope, "it would be valid for longer than %v", life)
	}
	return nil
}
