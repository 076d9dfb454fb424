package people

import (
	"strings"
	"unicode"
)

// maxShown is how much is shown of what a machine says of itself, in bytes.
const maxShown = 200

// shown makes what a machine says of itself one line that moves no screen.
func shown(text string) string {
	text = text[:min(len(text), maxShown)]
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
