package approval

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
)

// KeyID returns the first 16 hexadecimal digits of the SHA-256 of a public key. Answers name their
// signer by it. It selects a key in the trust list and proves nothing by itself.
func KeyID(public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return hex.EncodeToString(sum[:8])
}
