// Package screen is a terminal without a wire: bytes that a program wrote for
// a terminal go in, and what a person would have seen stands in cells.
//
// A recording is text by whoever was recorded, and terminals obey text: they
// write the clipboard (OSC 52), type answers on the viewer's keyboard (DA,
// DSR, title reports: CVE-2003-0063, CVE-2022-45063), print and resize. A
// viewer that draws cells is out of reach of all that, because no byte of the
// recording gets to it; and only cells can be searched for what was on the
// screen, and not for what was sent.
//
// # What it understands
//
// A VT220 with what programs of today expect of xterm: UTF-8, wide and
// combining characters, tab stops, scroll regions, origin, insert and wrap
// modes, line drawing, saved cursors, the alternate screen (47, 1047, 1049),
// and SGR with 256 and true colours in both spellings. Sequences follow
// ECMA-48; their parsing is Paul Williams' state machine
// (https://vt100.net/emu/dec_ansi_parser). The title is kept. Everything that
// asks, or that touches anything but the picture, is read over and dropped,
// and so is what is not known.
//
// C1 controls spelled as UTF-8 characters are dropped, as by most terminals.
// So are format characters (Unicode Cf): a bidirectional override would show
// the viewer other words than those that are there (CVE-2021-42574).
//
// # Limits
//
// The program on the other side is hostile. A screen has at most MaxCols and
// MaxRows; a row takes memory only as far as it was written. No sequence
// costs more than about one pass over the rows, whatever its numbers say. A
// string without an end (OSC, DCS) is taken for text again after 1 MiB, so
// that one stray byte cannot hide the rest of a session. Nothing panics.
//
// # Example
//
//	s := screen.New(80, 24)
//	s.Write([]byte("\x1b[2J\x1b[1;31mred\x1b[0m"))
//	s.Text(0) // "red"
package screen
