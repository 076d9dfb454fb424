package launcher

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/tada-run/tada-run/approval/canonical"
)

// object is one JSON object of the payload.
type object = map[string]any

// sumOf is the SHA-256 of pieces that each say where they end, in hex.
func sumOf(pieces ...[]byte) string {
	h := sha256.New()
	for _, p := range pieces {
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// trimmed drops what is empty: a page that lists what does not apply hides what does. No two
// plans become the same by it, because every reader takes a missing member for an empty one.
func trimmed(o object) object {
	for name, value := range o {
		switch v := value.(type) {
		case string:
			if v == "" {
				delete(o, name)
			}
		case []any:
			if len(v) == 0 {
				delete(o, name)
			}
		case []string:
			if len(v) == 0 {
				delete(o, name)
			}
		case object:
			trimmed(v)
		}
	}
	return o
}

// digestOf is the SHA-256 of a value's canonical bytes, in hex.
func digestOf(v any) string {
	b, err := canonical.Append(nil, v)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
