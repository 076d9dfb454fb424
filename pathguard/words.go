package pathguard

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
)

// without is a text without some of its characters.
func without(text, chars string) string {
	if !strings.ContainsAny(text, chars) {
		return text
	}
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune(chars, c) {
			return -1
		}
		return c
	}, text)
}

func words(c *shellparse.Command) string {
	text := make([]string, len(c.Args))
	for i, w := range c.Args {
		text[i] = w.Text
	}
	return strings.Join(text, " ")
}

func allStatic(words []shellparse.Word) bool {
	return !slices.ContainsFunc(words, func(w shellparse.Word) bool { return !w.Static })
}

var denials = map[markKind]string{markRestricted: "path.restricted", markState: "path.state"}
