package session

// Plain takes back what a program may have left a terminal in, and moves nothing: whoever shows a
// question writes it first. The output of commands reaches the person's terminal as it is, and one
// that sets margins, hidden letters or another alphabet and ends would decide what is seen of the
// next question, and how (ECMA-48; VT510 reference; ctlseqs of xterm). What a full-screen program
// needs of this it sets again when it draws again.
// no margins: lines would scroll out of sight between them. This moves the cursor, so it is kept
const Plain = "\x1b7\x1b[?69l\x1b[r\x1b8" +
	"\x1b[m\x1b(B\x0f" + // visible letters, and those that are meant
	"\x1b[4l\x1b[?7h\x1b[?25h" + // which replace others, wrap, and have a cursor
	"\x1b[?1000l\x1b[?1002l\x1b[?1003l" + // the mouse types letters
	"\x1b[J" // and no lines of double width below
