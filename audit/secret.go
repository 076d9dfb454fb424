package audit

import (
	"bytes"
	"slices"
	"strings"
)

// MayHoldSecrets reports whether a text, or one that is part of it, may have a credential of a
// known shape: it has what such a credential begins with.
func MayHoldSecrets(text string) bool {
	return slices.ContainsFunc(secretShapes(),
		func(s secretShape) bool { return strings.Contains(text, s.hint) })
}

// HideSecrets returns text with an asterisk in place of each byte of a credential of a known shape
// (FindSecrets), and the number of credentials found. It is for what is recorded outside a
// transcript, such as a command line.
func HideSecrets(text string) (shown string, found int) {
	if !MayHoldSecrets(text) {
		return text, 0 // like nearly every command line; the user waits for each
	}
	var m mask
	b, spans := m.add([]byte(text), true)
	if len(spans) == 0 {
		return text, 0
	}
	out := bytes.Clone(b)
	for _, s := range spans {
		copy(out[s.from:s.to], stars(b[s.from:s.to]))
	}
	return string(out), len(spans)
}
