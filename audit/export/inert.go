package export

import (
	"errors"
	"html"
	"io"
	"strings"
	"unicode"
)

// inert writes JSON into a data block. There, a "<" can only be inside a string; it is written as
// an escape, so that nothing can end the block or open a comment in it.
type inert struct {
	w    io.Writer
	left int
	buf  []byte
}

func (i *inert) Write(p []byte) (int, error) {
	if i.left -= len(p); i.left < 0 {
		return 0, ErrTooLarge
	}
	i.buf = i.buf[:0]
	for _, c := range p {
		if c == '<' {
			i.buf = append(i.buf, `\u003c`...)
			continue
		}
		i.buf = append(i.buf, c)
	}
	if _, err := i.w.Write(i.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// text is for text between tags: escaped, and without characters that change the order or the place
// of others.
func text(s string) string { return html.EscapeString(printable(s)) }

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// ErrTooLarge is returned for a transcript longer than MaxHTML.
var ErrTooLarge = errors.New("the session is too long for one page")

// MaxHTML is the largest transcript, in bytes, that becomes a page: browsers
// hold all of it in memory, several times.
const MaxHTML = 128 << 20
