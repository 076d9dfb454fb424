package session

// Plain resets the modes that a program may have left a terminal in, and moves nothing; it is
// written before a question is shown. The output of commands reaches the person's terminal
// unchanged, and a command that sets margins, hidden letters or another alphabet and ends would
// decide what is seen of the next question, and how (ECMA-48; VT510 reference; ctlseqs of xterm). A
// full-screen program sets the modes that it needs again when it draws again.
//
// The first sequence removes margins, because lines would scroll out of sight between them. It
// moves the cursor, so the cursor is saved and restored.
const Plain = "\x1b7\x1b[?69l\x1b[r\x1b8" +
	"\x1b[m\x1b(B\x0f" + // visible letters, and those that are meant
	"\x1b[4l\x1b[?7h\x1b[?25h" + // which replace others, wrap, and have a cursor
	"\x1b[?1000l\x1b[?1002l\x1b[?1003l" + // the mouse types letters
	"\x1b[J" // and no lines of double width below
