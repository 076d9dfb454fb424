package console

import (
	"errors"
	"fmt"

	"github.com/tada-run/tada-run/approval"
)

// attempt does what may fail only so often in this session. What fails is recorded.
func (s visit) attempt(how string, do func() error) (err error) {
	if !s.session.tries.begin(s.now()) {
		return errTries
	}
	defer func() { s.session.tries.end(s.now(), err != nil) }()
	if err = do(); err != nil {
		s.turnedAway(how, err)
	}
	return err
}

// turnedAway records what did not pass in a session.
func (s visit) turnedAway(how string, err error) {
	_ = s.desk().Seen(approval.Visitor{Did: "refused", ID: s.session.id, Device: s.device(),
		How: how, Why: briefly(err)}) // it is refused all the same
}

// takeCode takes the code of a question, once.
func (s visit) takeCode(id, plan, given string) error {
	var spent error
	err := s.attempt("code", func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		counts, err := s.codes[id].take(given, plan)
		if !counts { // no guess: the right one would not do either
			spent, err = err, nil
		}
		return err
	})
	if err != nil && !errors.Is(err, errTries) {
		s.say(fmt.Sprintf("%s  wrong code from the page", id))
	}
	if err == nil {
		err = spent
	}
	return err
}
