package play

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/screen"
)

// A Tint turns output into what a terminal has to get, as a Wire does, and has the echo of what was
// typed in the colour of who typed it: for players that know nothing of authors. It follows the
// session on a screen of its own, because behind the echo the program's own colours have to be as
// they were.
type Tint struct{ stage *stage }

// NewTint is for a transcript from its start.
func NewTint(h audit.Header) Tint { return Tint{newStage(h)} }

// Append takes the next event, and adds to dst what of it a terminal has to get.
func (t Tint) Append(dst []byte, e audit.Event) []byte {
	s := t.stage
	if !isOutput(e.Code) {
		s.play(e)
		return dst
	}
	n := 0
	if e.Code == audit.CodeOutput {
		by, pen, begun := s.echoBy, s.screen.Pen(), len(s.screen.Pending()) > 0
		if n = s.drawEcho(e.Data); n > 0 && begun {
			// a colour would come in the middle of the program's own sequence
			dst = append(dst, s.wired...)
		} else if n > 0 {
			dst = appendTyped(dst, s.wired, authorColor(s.cast.name(by)), pen)
		}
	}
	s.draw(e.Code, e.Data[n:])
	return append(dst, s.wired...)
}

// appendTyped adds what was typed, in that colour up to the first byte that is no text: a sequence
// may keep or change the pen, which is as it was when it comes.
func appendTyped(dst, typed []byte, c screen.Color, pen screen.Style) []byte {
	n := bytes.IndexFunc(typed, func(r rune) bool {
		return !unicode.IsPrint(r) || r == utf8.RuneError
	})
	if n < 0 {
		n = len(typed)
	}
	if n > 0 {
		dst = append(appendStyle(dst, screen.Style{Fg: c, Attr: screen.Underline}), typed[:n]...)
		dst = appendStyle(dst, pen)
	}
	return append(dst, typed[n:]...)
}
