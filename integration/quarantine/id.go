package quarantine

import (
	"encoding/hex"
	"fmt"
	"io"
)

// newID returns a version 4 UUID (RFC 9562, section 5.4).
func newID(random io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("random bytes for a session's id: %w", err)
	}
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:], nil
}

// isUUID reports whether s is a UUID as newID writes it. Ids become file names.
func isUUID(s string) bool {
	if len(s) != 36 || s[14] != '4' || s[19] < '8' || s[19] > 'b' || s[19] > '9' && s[19] < 'a' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch dash := i == 8 || i == 13 || i == 18 || i == 23; {
		case dash && c != '-', !dash && !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f'):
			return false
		}
	}
	return true
}
