package passkey

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/tada-run/tada-run/approval"
)

// maxResponse is the maximum length of what a browser sends. Credential ids have at most 1023
// bytes, and there is no attestation.
const maxResponse = 16 << 10

// checkClient checks what the browser says about the page. The origin must be the given one, and
// with "" any of the host.
func checkClient(text []byte, kind, challenge, origin, host string) (string, error) {
	if len(text) > maxResponse || !utf8.Valid(text) {
		return "", refused(approval.ErrMalformed, "what the browser says is too long, or no text")
	}
	var c struct {
		Type        string  `json:"type"`
		Challenge   string  `json:"challenge"`
		Origin      string  `json:"origin"`
		CrossOrigin bool    `json:"crossOrigin"`
		TopOrigin   *string `json:"topOrigin"`
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return "", refused(approval.ErrMalformed, "what the browser says: %v", err)
	}
	switch {
	case c.Type != kind:
		return "", refused(approval.ErrSignature, "it is a %q and not a %q", c.Type, kind)
	case c.Challenge != challenge:
		return "", refused(approval.ErrMismatch, "it was signed for something else")
	case c.CrossOrigin || c.TopOrigin != nil:
		return "", refused(approval.ErrSignature, "the page was in a frame of another site")
	case origin != "" && c.Origin != origin:
		return "", refused(approval.ErrSignature, "it comes from %q and not from %q", c.Origin,
			origin)
	}
	if at, err := Host(c.Origin); err != nil {
		return "", refused(approval.ErrSignature, "%v", err)
	} else if at != host {
		return "", refused(approval.ErrSignature, "it comes from %q, and is for %q", c.Origin, host)
	}
	return c.Origin, nil
}
