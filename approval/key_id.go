package approval

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// KeyID returns the first 16 hexadecimal digits of the SHA-256 of a public key. Answers name their
// signer by it. It selects a key in the trust list and proves nothing by itself.
func KeyID(public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return hex.EncodeToString(sum[:8])
}

// isName reports whether a key may have a name.
func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; strings.IndexByte(".@_+-", c) < 0 && (c < '0' || c > '9') &&
			(c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}
