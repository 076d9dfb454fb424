package sandbox

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// A belt is a profile for Seatbelt, the sandbox of macOS, in the making. It is text in SBPL, a
// language of Apple that has no manual; each form here is one that Apple's own profiles use. Of
// two rules about an object, the later one decides.
type belt struct {
	strings.Builder
	wrong error // the first name that cannot be written
}

// rule adds a rule about one name.
func (b *belt) rule(what, filter, name string) {
	fmt.Fprintf(b, "(%s (%s %s))\n", what, filter, b.quote(name))
}

func (b *belt) quote(name string) string {
	quoted, err := quoteSBPL(name)
	if err != nil && b.wrong == nil {
		b.wrong = err
	}
	return quoted
}

// quoteSBPL returns a name as a string of SBPL. It refuses what could be read as another name: a
// rule that hides the wrong file hides nothing.
func quoteSBPL(name string) (string, error) {
	switch {
	case !filepath.IsAbs(name) || filepath.Clean(name) != name:
		return "", fmt.Errorf("%w: the name %q is not absolute and clean", ErrUnsupported, name)
	case !utf8.ValidString(name):
		return "", fmt.Errorf("%w: the name %q is not UTF-8, and Seatbelt takes no other; rename "+
			"it", ErrUnsupported, name)
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", fmt.Errorf("%w: the name %q has a control character, and how Seatbelt reads "+
			"these is not documented; rename it", ErrUnsupported, name)
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`, nil
}
