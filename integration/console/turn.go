package console

import (
	"cmp"
	"fmt"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

// A turn is what a browser is told at once about a terminal. The next one comes when it has drawn
// this one. So a slow browser gets fewer, and nothing piles up.
type turn struct {
	Draw    string `json:"draw"` // for the terminal: made here, nothing of it was printed
	Cols    int    `json:"cols"`
	Rows    int    `json:"rows"`
	Epoch   uint32 `json:"epoch"` // goes back with keys
	State   string `json:"state"` // who is in control, for people
	Session bool   `json:"session"`
	You     bool   `json:"you"` // this page may send keys
	Frozen  bool   `json:"frozen"`
	Ended   bool   `json:"ended"`
	Said    string `json:"said,omitempty"` // what happened, for people
	Took    int    `json:"took"`           // bytes of keys that were taken
}

// stateOfTerminal is who is in control, in words.
func stateOfTerminal(s wire.Status) (text string) {
	switch {
	case s.Frozen:
		text = "frozen: nothing of it runs"
	case s.You:
		text = "you are in control"
	case s.Driver == "person": // at the terminal that started it
		text = "its owner is in control"
	default:
		text = cmp.Or(s.Driver, "nobody") + " is in control"
	}
	if s.Private {
		text += ", private"
	}
	return render.Inert(text)
}

// noticed is a notice in one line.
func noticed(n wire.Notice) string {
	text := n.Message
	switch n.Code {
	case wire.CodeAsked: // its message names the keys of a terminal
		text = "a command waits for an answer, on the page Questions"
	case wire.CodeAnswered:
		text = "the command has its answer"
	}
	if r := n.Summary; r != nil {
		text += fmt.Sprintf(": %s, %s changed", audit.Plural(len(r.Commands), "command"),
			audit.Plural(len(r.Files), "file"))
	}
	return render.Inert(text)
}
