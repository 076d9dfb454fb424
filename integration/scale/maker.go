package scale

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/state"
)

// Options are what is made, and out of what.
type Options struct {
	From  string    // the state directory of the real runs, in whose commands words are replaced
	Home  string    // the state directory that is made
	Runs  int       // how many requests
	Until time.Time // when the last of them has ended
	// Every says that only every so many-th run keeps its transcript; the others are deleted as
	// tadactl gc does. 0 and 1 keep all.
	Every  int
	Agents []string // who works in the workspaces, each in its own; "" is a person
	// Half is called when half of the runs are there, such as to pack them, and Each after run n.
	// Both may be nil.
	Half func() error
	Each func(n int) error
}

// A maker writes runs.
type maker struct {
	Options
	clock  *clock
	dir    *state.Directory
	log    *audit.Log
	store  *approval.Store
	from   templates
	random *rand.ChaCha8
	chance *rand.Rand
	held   func() error // writes the end of a run that is not over yet; nil for none
}

func pick(m *maker, list []*template) *template { return list[m.chance.IntN(len(list))] }

// release writes the end of a run that was held back.
func (m *maker) release() error {
	held := m.held
	if m.held = nil; held == nil {
		return nil
	}
	return held()
}

// seal signs the log, and has the store of approvals remember how far it has come.
func (m *maker) seal() error {
	e, err := m.log.Seal(m.random)
	if err != nil {
		return err
	}
	return m.store.MarkLogged(context.Background(), e.Place().String())
}
