// Package screen is a model of a terminal: the bytes that a program wrote for a terminal go in, and
// cells hold what a person would have seen.
//
// A recording is text by the recorded program, and terminals obey text: they write the clipboard
// (OSC 52), type answers on the viewer's keyboard (DA, DSR, title reports: CVE-2003-0063,
// CVE-2022-45063), print and resize. A viewer that draws cells is safe from all that, because no
// byte of the recording gets to it. And only cells can be searched for what was on the screen,
// rather than for what was sent.
//
// # What it understands
//
// A VT220 with what today's programs expect of xterm: UTF-8, wide and combining characters, tab
// stops, scroll regions, origin, insert and wrap modes, line drawing, saved cursors, the alternate
// screen (47, 1047, 1049), and SGR with 256 and true colours in both spellings. Sequences follow
// ECMA-48; their parsing is Paul Williams' state machine (https://vt100.net/emu/dec_ansi_parser).
// The title is kept. Every sequence that asks, or that affects anything but the picture, is read
// and dropped, and so is an unknown one.
//
// C1 controls spelled as UTF-8 characters are dropped, as by most terminals. So are format
// characters (Unicode Cf): a bidirectional override would show the viewer other words than the real
// ones (CVE-2021-42574).
//
// # Limits
//
// The recorded program may be hostile. A screen has at most MaxCols and MaxRows; a row takes memory
// only as far as it was written. No sequence costs more than about one pass over the rows, whatever
// its numbers are. A string without an end (OSC, DCS) is treated as text again after 1 MiB, so that
// one stray byte cannot hide the rest of a session. Nothing panics.
//
// # Example
//
//	s := screen.New(80, 24)
//	s.Write([]byte("\x1b[2J\x1b[1;31mred\x1b[0m"))
//	s.Text(0) // "red"
package screen
