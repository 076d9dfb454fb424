package play

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/audit/screen"
)

// What Redraw returns makes another screen show the same, and its keyboard send the same.
func TestRedraw(t *testing.T) {
	for _, text := range []string{
		"plain\r\nlines\x1b[5;7H",
		"\x1b[?1049h\x1b[2;5r\x1b[31;1mred\x1b[4;9Hthere\x1b[?25l\x1b[?1h\x1b=\x1b[?2004;1006h",
		"\x1b[48;2;1;2;3mback\x1b[K\r\n\x1b[0mwide 漢字 e\u0301 \x1b[7mlast column" +
			strings.Repeat("x", 30),
		"\x1b(0lqk\x1b)0",
		"\x1b)0\x0elqk",
		"\x1b[?7lno wrap" + strings.Repeat("y", 40) + "\x1b[4h\x1b[1;1Hinsert",
	} {
		a, b := screen.New(30, 8), screen.New(30, 8)
		a.Write([]byte(text))
		// whatever was there, on a terminal that does not know a soft reset
		b.Write([]byte("\x1b[?1049h\x1b[33mold\x1b[?1000h\x1b[3;4r\x1b[?25;7l" +
			"\x1b[?6h\x1b[4;20h\x1b(0\x1b)0\x0e"))
		b.Write(bytes.Replace(Redraw(a), []byte("\x1b[!p"), nil, 1))
		for y := range 8 {
			for x := range 30 {
				if a.Cell(x, y) != b.Cell(x, y) {
					t.Fatalf("%q: cell %d,%d is %+v, want %+v", text, x, y, b.Cell(x, y),
						a.Cell(x, y))
				}
			}
		}
		ax, ay, av := a.Cursor()
		bx, by, bv := b.Cursor()
		if ax != bx || ay != by || av != bv || a.Keys() != b.Keys() ||
			a.Alternate() != b.Alternate() || a.Pen() != b.Pen() {
			t.Errorf("%q: cursor %d,%d %v keys %q, want %d,%d %v %q", text, bx, by, bv, b.Keys(),
				ax, ay, av, a.Keys())
		}
		for _, cut := range []string{"\n", "more\r\n\x1b[3", "1mand\xe6\xbc",
			"\xa2 more\r\n\x1b]0;ti", "tle\x07\n\x1bPq", "#1\x1b\\end\n"} {
			a.Write([]byte(cut))
			b.Write(Redraw(a)) // in the middle of what is sent
		}
		if a.String() != b.String() {
			t.Errorf("%q: what comes next is drawn as %q, want %q", text, b, a)
		}
	}
}

// A mirror passes on only pictures of the program's output, and the modes of the keyboard only
// where the viewer types.
func TestMirror(t *testing.T) {
	m := NewMirror(20, 4)
	m.Resize(30, 6)
	m.Bar = "the bar"
	m.Write([]byte("\x1b]52;c;aGVsbG8=\x07\x1b[c\x1b[?1h\x1b[?1000hwords\x1b[6n"))
	out := string(m.Paint())
	for _, want := range []string{"words", "the bar"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in %q", want, out)
		}
	}
	for _, bad := range []string{"\x1b]52", "\x1b[c", "\x1b[6n", "\x1b[?1h"} {
		if strings.Contains(out, bad) {
			t.Errorf("%q got through: %q", bad, out)
		}
	}
	m.Keys = true
	if out := string(m.Paint()); !strings.Contains(out, "\x1b[?1h\x1b[?1000h") {
		t.Errorf("who types does not get the keyboard's modes: %q", out)
	}
	m.Keys = false
	if out := string(m.Paint()); !strings.Contains(out, screen.NoKeys) {
		t.Errorf("who stopped typing keeps them: %q", out)
	}
}
