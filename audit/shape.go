package audit

import (
	"regexp"
	"sync"

	"github.com/tada-run/tada-run/shellparse/catalog"
)

type secretShape struct {
	name, hint string
	more       byte // beyond tokenByte, that a token may have; 0 for none
	shape      func() *regexp.Regexp
}

// secretShapes are credentials whose makers gave them a recognizable form, so that scanners can
// find them: private keys, the tokens of the table of secrets, and passwords in URLs. hint is what
// a text must contain before the expression is tried: expressions are slow, and most text contains
// no hint. For the same reason each is compiled when it is first used.
var secretShapes = sync.OnceValue(func() []secretShape {
	list := []secretShape{
		{"private key", string(keyBegin), 0, expression(`-----BEGIN [A-Z ]*PRIVATE KEY-----`)},
	}
	list = append(list, tokenShapes()...)
	return append(list, secretShape{
		"password in a URL", string(scheme), 0,
		expression(`\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]{3,}@`),
	})
})

// tokenShapes are the tokens that have a form.
var tokenShapes = sync.OnceValue(func() (list []secretShape) {
	tokens := catalog.Tokens()
	list = make([]secretShape, 0, len(tokens))
	for i := range tokens {
		if t := &tokens[i]; t.Form != "" {
			list = append(list, secretShape{t.Name, t.Mark, t.More, expressionOf(t)})
		}
	}
	return list
})

func expressionOf(t *catalog.Token) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		edge := `\b`
		if t.Midword {
			edge = ""
		}
		return regexp.MustCompile(edge + regexp.QuoteMeta(t.Mark) + t.Form)
	})
}

func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var (
	keyBegin = []byte("PRIVATE KEY-----")
	keyEnd   = []byte("-----END")
	scheme   = []byte("://")
	header   = []byte("eyJ") // of a web token: base64 of {"
)
