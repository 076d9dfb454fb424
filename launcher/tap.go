package launcher

import (
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/session"
)

// A tap puts every byte of the session into the transcript before anybody sees it.
type tap struct {
	to     *audit.Recorder
	hidden func() bool // the command reads something that it does not show
	meter  *meter      // nil where output has no limit
	heard  [3]ear      // by stream
}

// eventCode is the code of the transcript for each stream: standard error through a pipe of
// its own is told apart, everything else is output.
var eventCode = map[session.Stream]byte{session.Screen: 'o', session.Stdout: 'o', session.Stderr: 'e'}

// Output records what the command printed.
func (t *tap) Output(stream session.Stream, p []byte) error {
	t.meter.count(len(p))
	t.heard[stream].hear(p)
	return t.to.Output(eventCode[stream], p)
}

// Input records what was typed, and of a password only that there was one.
func (t *tap) Input(author string, p []byte) error {
	if t.hidden != nil && t.hidden() {
		return t.to.Hidden(audit.CodeInput, author, p)
	}
	return t.to.Input(author, p)
}

// Resize records the terminal's new size.
func (t *tap) Resize(cols, rows int) error { return t.to.Resize(cols, rows) }
