package console

import (
	"fmt"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/undo"
)

// mostSteps is how many steps the page shows. More are for the terminal: nobody confirms what is
// not shown.
const mostSteps = 2000

var errSteps = fmt.Errorf("more than %d paths; at a terminal: tadactl undo", mostSteps)

// A taking is a run that is to be taken back, with what that would do now.
type taking struct {
	past.Run
	undo.Take
	do    string // "undo", or "redo" for an undo
	steps []undo.Step
}

// taking returns it for the run with exactly this id. With both, what was before is written beside
// what was changed since.
func (s visit) taking(id string, both bool) (t taking, err error) {
	if t.Run, err = s.past(id); err != nil {
		return t, err
	}
	t.KeepBoth = both
	if t.do, err = s.backward(t.Run.ID); err != nil {
		return t, err
	}
	if t.Take.Runs, err = s.inbox.Parts(t.Run.ID); err != nil {
		return t, err
	}
	l, err := s.inbox.Fresh()
	if err == nil {
		t.steps, err = l.PlanUndo(t.Take)
	}
	if err == nil && len(t.steps) > mostSteps {
		err = errSteps
	}
	return t, err
}

// backward is the word for taking a run back: "redo" for one that was itself an undo.
func (s *Server) backward(id string) (string, error) {
	if again, err := s.inbox.IsUndo(id); err != nil || !again {
		return "undo", err
	}
	return "redo", nil
}

// on is what a confirmation is for: the run, and exactly these steps.
func (t taking) on() string { return t.Run.ID + " " + launcher.StepsHash(t.steps) }

// left is how many paths stay as they are.
func (t taking) left() (n int) {
	for _, step := range t.steps {
		if step.Do == undo.Refuse || step.Do == undo.Beside {
			n++
		}
	}
	return n
}
