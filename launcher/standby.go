package launcher

import (
	"errors"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// A standby is a run's sandbox, prepared before it is known whether the run may start: namespaces
// while a person is asked, terminal and sandbox while the intent or the use of an approval is
// written to the disk. Nothing of the command runs in it. It has one owner, who takes it or cancels
// it, once; a cancelled one cannot be taken. A nil standby is that of a run that another process
// starts.
type standby struct{ stage preparation }

// reserve has namespaces made for a run that a person is asked about now, so that nothing waits for
// them after an approval. The sandbox itself is built after that, from the files as they are then.
func (s *standby) reserve() {
	if s == nil {
		return
	}
	if r, ok := s.stage.(reserved); ok && r.namespaces == nil {
		s.stage = reserved{r.l, r.id, r.l.ahead()}
	}
}

// begin opens the command's terminal or pipes, and has the sandbox built beside this goroutine.
func (s *standby) begin(j *Judgement) {
	if s != nil {
		s.stage = s.stage.build(j)
	}
}

// take hands the terminal and the sandbox over, building them where that has not begun.
func (s *standby) take(j *Judgement) (*building, error) {
	stage := s.stage.build(j)
	s.stage = gone{}
	switch stage := stage.(type) {
	case *building:
		return stage, nil
	case broken:
		return nil, stage.err
	}
	return nil, errors.New("internal error: the sandbox was cancelled before its " +
		"command could start")
}

// cancel undoes what was prepared; nothing where it was taken.
func (s *standby) cancel() {
	if s != nil {
		s.stage.cancel()
		s.stage = gone{}
	}
}

// A reserved standby has at most empty namespaces, made ahead; nil for none.
type reserved struct {
	l          *Launcher
	id         string // of the run
	namespaces *sandbox.Prepared
}

func (r reserved) cancel() { r.namespaces.Release() }

// A broken standby is one whose terminal could not be opened.
type broken struct{ err error }

func (b broken) build(*Judgement) preparation { return b }
func (broken) cancel()                        {}

// gone is a standby that was taken or cancelled.
type gone struct{}

func (gone) build(*Judgement) preparation { return gone{} }
func (gone) cancel()                      {}
