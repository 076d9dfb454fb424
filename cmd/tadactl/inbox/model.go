package inbox

import (
	"context"
	"fmt"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/integration/distant"
	"github.com/tada-run/tada-run/launcher/prompt"
)

// A Desk is the part of the launcher that the inbox uses.
type Desk interface {
	Pending(ctx context.Context) ([]approval.Envelope, error)
	Envelope(ctx context.Context, id string) (approval.Envelope, error)
	Decide(ctx context.Context, d approval.Decision) error
	DecideStanding(ctx context.Context, d approval.Decision,
		r approval.GrantRequest) (approval.Grant, error)
	MayChoose(e approval.Envelope, by approval.Channel) bool
	ChoicesOf(payload []byte) []prompt.Choice
}

// A mode is the meaning of keys.
type mode int

const (
	choosing    mode = iota // in the list
	reading                 // a page
	typing                  // the characters of a challenge
	coding                  // a one-time code
	refusing                // a message to the agent, before a denial
	offering                // another command, before a denial
	wording                 // a message with the denial of one call of several
	remembering             // the page that says what a grant covers
)

// The messages of the inbox, besides those of the terminal.
type (
	listed struct {
		list []approval.Envelope
		away error // why it is not known now, on a machine of a fleet
	}
	looked  struct{ runs []string } // the latest that changed something, a line each
	broken  struct{ err error }
	settled struct{ keys int } // no further key came
	ticked  struct{}           // a second went by
)

// A board is the inbox on a screen: a list, or one question. Enter never decides, and nothing is
// decided before every line of the page was shown.
type board struct {
	ctx     context.Context
	desk    Desk
	changes <-chan struct{}
	phrase  string
	now     func() time.Time

	width, height int
	known         bool                // the list was read; before that there is nothing to show
	list          []approval.Envelope // with payload
	lately
	far
	at     string // id of the selected one
	note   string // the result of the last answer
	failed error

	mode mode
	open approval.Envelope
	leaf
	timing
	line []rune // what is being typed
	keyboard
	denied map[string]bool
	words  map[string]string   // to the agent, with the denial of a call
	call   string              // that was denied last; "" for none
	flock  []approval.Envelope // near-identical questions that are denied together
}

// A lately is what was changed lately, below the list.
type lately struct {
	latest func() []string // reads it; nil for none
	runs   []string
}

// A far is what other machines of the fleet ask, below the machine's own questions. One of them is
// read and answered in tada-fleet, which has the terminal meanwhile.
type far struct {
	fleet distant.Fleet
	lists <-chan distant.List // nil where the machine is in no fleet
	there distant.List
	away  error // why the machine's own questions are not known now
}

// The messages of far questions.
type (
	farListed   struct{ distant.List }
	farAnswered struct {
		said string
		err  error
	}
)

// A choosable is what the open question offers to allow until further notice.
type choosable struct {
	choices []prompt.Choice
	choice  int // from 1 on; 0 for none
}

// A leaf is the page that is open.
type leaf struct {
	page render.Page
	look prompt.Look
	text []string // its rows
	full bool     // it is the one with everything
	top  int      // the first row on the screen
	read *render.Reading
	choosable
}

// A timing is when the open page appeared.
type timing struct {
	shown time.Time
	since time.Time     // when the current screen appeared
	least time.Duration // the time until the page can be approved
}

// A keyboard is when keys came.
type keyboard struct {
	keys  int // counts key presses
	last  time.Time
	burst bool // the latest key came right after another
}

func (b *board) back(note string) { b.mode, b.note, b.line = choosing, note, nil }

// explained is the message to a person about an error of the store.
func explained(err error) string {
	if f, ok := approval.Explain(err); ok {
		return f.Message
	}
	return err.Error()
}

// Fit cuts a row of a list; a page is laid out for the width and never cut. The mark is one that
// every terminal has.
func Fit(s string, width int) string {
	const mark = "..."
	if r := []rune(s); len(r) >= width && width > len(mark) {
		return string(r[:width-1-len(mark)]) + mark
	}
	return s
}

// folded breaks a row of a list that is wider than the screen, and leaves nothing out. A character
// that is not ASCII counts as two columns, the most that any takes.
func folded(s string, width int) []string {
	const indent = "      "
	var rows []string
	row, used := "", 0
	for _, r := range s {
		cells := 1
		if r > '~' {
			cells = 2
		}
		if used+cells >= width && width > 2*len(indent) {
			rows = append(rows, row)
			row, used = indent, len(indent)
		}
		row += string(r)
		used += cells
	}
	return append(rows, row)
}

// age is how long a question has waited, in few characters.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	}
	return fmt.Sprintf("%dh", int(d.Hours()))
}
