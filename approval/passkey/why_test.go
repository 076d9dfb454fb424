package passkey

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-webauthn/webauthn/protocol"
)

// What a response says of itself stays one short line of text in the error about it.
func TestWhyIsText(t *testing.T) {
	t.Parallel()
	evil := "\x1b[2J\u202e\n\xff" + strings.Repeat("ä", 5000)
	for _, err := range []error{errors.New(evil),
		protocol.ErrVerification.WithDetails("it").WithInfo(evil)} {
		if got := why(err); strings.ContainsAny(got, "\x1b\u202e\n") || !utf8.ValidString(got) ||
			utf8.RuneCountInString(got) > 200 {
			t.Errorf("%q", got)
		}
	}
}
