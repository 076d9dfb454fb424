package screen

import "strconv"

// keyModes are DEC's private modes that do not change the picture but decide what a keyboard or a
// mouse sends: cursor keys, keypad, mouse in its spellings, focus, brackets around a paste.
var keyModes = [...]int{1, 66, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 2004}

// NoKeys turns all of them off.
const NoKeys = "\x1b[?1;66;1000;1002;1003;1004;1005;1006;1015;2004l\x1b>"

// setKeys records a mode of the keyboard.
func (s *Screen) setKeys(n int, on bool) {
	for i, mode := range keyModes {
		if mode != n {
			continue
		}
		s.keys &^= 1 << i
		if on {
			s.keys |= 1 << i
		}
	}
}

// Keys returns the sequences that make the keyboard of a freshly started terminal send what the
// program has asked for. They are made here: they contain nothing that was written.
func (s *Screen) Keys() string {
	text := ""
	for i, mode := range keyModes {
		if s.keys&(1<<i) != 0 {
			text += "\x1b[?" + strconv.Itoa(mode) + "h"
		}
	}
	return text
}

// State returns the sequences that give a freshly started terminal the scroll region and the modes
// of writing that the program has set. The position of the cursor after it is undefined.
func (s *Screen) State() string {
	text := ""
	if s.page.top != 0 || s.page.bottom != s.rows {
		text += "\x1b[" + strconv.Itoa(s.page.top+1) + ";" + strconv.Itoa(s.page.bottom) + "r"
	}
	for _, m := range []struct {
		on   bool
		text string
	}{
		{s.mode.noWrap, "\x1b[?7l"}, {s.mode.insert, "\x1b[4h"}, {s.mode.newline, "\x1b[20h"},
		{s.pen.graphic[0], "\x1b(0"}, {s.pen.graphic[1], "\x1b)0"}, {s.pen.shift == 1, "\x0e"},
	} {
		if m.on {
			text += m.text
		}
	}
	return text
}

// Pen returns the style of what is written next.
func (s *Screen) Pen() Style { return s.pen.style }

// Pending returns the bytes of an unfinished character, sequence or string. A screen that is given
// them continues where this one is.
func (s *Screen) Pending() []byte {
	q := &s.parser
	begun, ok := map[state]string{
		escape: "\x1b", csi: "\x1b[", osc: "\x1b]", ignored: "\x1bP", oscEsc: "\x1b]",
		ignoreEsc: "\x1bP",
	}[q.state]
	if !ok {
		return q.part[:q.parts]
	}
	b := append([]byte(begun), q.text...)
	if q.state == oscEsc || q.state == ignoreEsc {
		b = append(b, 0x1b)
	}
	return b
}
