package play

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/screen"
)

// A Tint turns output into what a terminal must receive, like a Wire, and colours the echo of what
// was typed by its author, for players that do not know about authors. It follows the session on a
// screen of its own, because after the echo the program's own colours must be restored.
type Tint struct{ stage *stage }

// NewTint returns a Tint for a transcript from its start.
func NewTint(h audit.Header) Tint { return Tint{newStage(h)} }

// Append takes the next event, and adds to dst what a terminal must receive for it.
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
			// a colour would be in the middle of the program's own sequence
			dst = append(dst, s.wired...)
		} else if n > 0 {
			dst = appendTyped(dst, s.wired, authorColor(s.cast.name(by)), pen)
		}
	}
	s.draw(e.Code, e.Data[n:])
	return append(dst, s.wired...)
}

// appendTyped adds typed text in the colour c, up to the first byte that is not text. A sequence
// may save or change the pen, so the pen is restored before it.
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
