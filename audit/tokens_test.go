package audit

import (
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/shellparse/catalog"
)

// J3: every token in the table of secrets that has a form is hidden, except for its mark.
func TestEveryToken(t *testing.T) {
	for _, token := range catalog.Tokens() {
		if token.Form == "" {
			continue
		}
		form, err := syntax.Parse(token.Form, syntax.Perl)
		must(t, err)
		secret := shortest(form)
		text := "x=" + token.Mark + secret + " y"
		shown, found := HideSecrets(text)
		want := "x=" + token.Mark + strings.Repeat("*", len(secret)) + " y"
		if shown != want || found != 1 {
			t.Errorf("%s: %q has %d secrets: %q", token.Name, text, found, shown)
		}
		if len(token.Mark+secret) < minToken {
			t.Errorf("%s: %q is shorter than the text that is looked at", token.Name, secret)
		}
		if len(token.Mark) > maskReach {
			t.Errorf("%s: the mark is longer than what is remembered", token.Name)
		}
	}
}

// shortest returns a short text of a form, which is long enough to be examined.
func shortest(form *syntax.Regexp) string {
	switch form.Op {
	case syntax.OpLiteral:
		return string(form.Rune)
	case syntax.OpCharClass:
		return string(form.Rune[len(form.Rune)-1])
	case syntax.OpRepeat:
		times := form.Min
		if form.Max < 0 {
			times = max(times, minToken)
		}
		return strings.Repeat(shortest(form.Sub[0]), times)
	case syntax.OpConcat:
		text := ""
		for _, sub := range form.Sub {
			text += shortest(sub)
		}
		return text
	}
	return "" // the edge of a word
}
