package session

import (
	"context"
	"os"
	"time"

	"github.com/tada-run/tada-run/launcher/session/wire"
)

// A View is what a person sees of a session that this terminal is attached to. Its methods are
// called by one goroutine. What they return is written to the terminal.
type View interface {
	Redraw(p []byte) []byte // the whole screen again
	Output(p []byte) []byte
	Status(s wire.Status) []byte
	Notice(n wire.Notice) []byte
	Resize(cols, rows int) []byte   // of the viewer's terminal
	Ask(question string) []byte     // "" takes the question away
	Leave() []byte                  // at the end, and while a question is asked
	Resume() []byte                 // after a question
	Size(cols, rows int) (int, int) // the session's, of a terminal of that size
}

// An Attachment is one client of a session.
type Attachment struct {
	Conn *os.File // to the holder
	In   *os.File // keys: a terminal, or a pipe that is typed from until its end
	Out  *os.File
	View View

	// it started the session; what it types while someone else has control is for the holder to
	// refuse and to count
	Starter bool
	Take    bool          // drive at once
	Idle    time.Duration // without a key, after which a lease ends; 0 is the holder's usual
	TTY     string        // the terminal's name, for people

	// Answer shows a waiting question to the person at this terminal, which is restored for that
	// time. It is nil if no one answers here.
	Answer func(ctx context.Context, envelope string) error
}

// An Ended says how an attachment ended.
type Ended struct {
	Detached bool         // this client left, and the session continues
	Lost     bool         // the holder is gone without a word
	Last     *wire.Notice // the last refusal, when there was one
	wire.Ending
}

// The keys of a client: Prefix, then one of these. Every other key goes to the program, and so does
// Prefix typed twice.
const Prefix = 0x1d // Ctrl-]

const answerKey = 'a'

// An order is what a key behind Prefix does.
type order struct {
	key  byte
	kind wire.Kind
	ask  string // what must be answered with y first
	help string
}

var orders = []order{
	{'d', 0, "", "detach"},
	{answerKey, 0, "", "answer"},
	{'t', wire.Take, "", "take over"},
	{'g', wire.Summary, "", "give back"}, // the summary is shown, then y gives
	{'p', wire.Private, "", "private"},
	{'f', wire.Freeze, "", "freeze"},
	{'c', wire.Continue, "", "continue"},
	{'k', wire.Kill, "kill the session and everything in it? y/n", "kill"},
}

// KeyHelp is one line that lists the keys.
func KeyHelp() string {
	text := "Ctrl-] and:"
	for _, o := range orders {
		text += " " + string(o.key) + " " + o.help + ","
	}
	return text + " Ctrl-] itself"
}
