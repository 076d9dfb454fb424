package approval

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
)

// StatementHead begins every text that a key signs and that is no answer: what the members of a
// fleet agree on.
const StatementHead = "tada-fleet/v1"

// Statement signs a text that begins with StatementHead. No other text is signed, so that a
// signature of one is never a signature of an answer.
func (k Key) Statement(text []byte) ([]byte, error) {
	switch {
	case k.Public() == nil:
		return nil, fmt.Errorf("approval: %w: it has no key in it", ErrKey)
	case !bytes.HasPrefix(text, []byte(StatementHead+" ")):
		return nil, fmt.Errorf("approval: %w: a statement begins with %q", ErrMalformed,
			StatementHead)
	}
	return ed25519.Sign(k.private, text), nil
}
