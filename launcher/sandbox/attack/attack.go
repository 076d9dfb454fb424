package attack

import (
	"errors"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// An Attack is one way out of a sandbox.
type Attack struct {
	Name string
	Kind string // what it belongs to: "files", "sockets" ...
	Root bool   // works only for root, even without a sandbox
	// what a receipt says when a level cannot keep it from working; "" when every level must
	Lost sandbox.Protection
	// harmless in a network of one's own, so tried only where hosts are reached
	near bool
	// allowed where the run may have servers on this machine
	serves bool
	try    func(World) error // nil when it worked
}

// An Outcome is what became of one attack at one level.
type Outcome string

// The outcomes.
const (
	Held     Outcome = "held"
	Told     Outcome = "told"
	Broken   Outcome = "broken"
	Unproven Outcome = "unproven"
)

// A Row is one attack at one level.
type Row struct {
	Name, Kind string
	Level      sandbox.Level
	Outcome    Outcome
	Note       string // what was seen: the kernel's refusal, what is lost, why nothing was proven
}

// ErrNotHere is returned where there is no sandbox to attack.
var ErrNotHere = errors.New("no sandbox on this system")

// judge turns what was seen into a row.
func (a Attack) judge(level sandbox.Level, bare error, worked bool, receipt sandbox.Receipt,
	note string) Row {
	r := Row{Name: a.Name, Kind: a.Kind, Level: level, Outcome: Held, Note: note}
	why, told := "", false
	for _, l := range receipt.Lost {
		if l.Protection == a.Lost {
			why, told = string(l.Protection)+": "+l.Why, true
		}
	}
	switch {
	case worked && told:
		r.Outcome, r.Note = Told, why
	case worked:
		r.Outcome = Broken
	case bare != nil:
		r.Outcome, r.Note = Unproven, bare.Error()
	}
	return r
}
