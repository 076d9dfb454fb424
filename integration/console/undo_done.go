package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
)

// undoPosted is undoDone for a script. It is no ceremony: only what does not confirm it counts as a
// failed attempt, and not that there is nothing to undo.
func (s visit) undoPosted(w http.ResponseWriter, r *http.Request) {
	var p posted
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxPost)).Decode(&p)
	var answer any
	if err == nil {
		answer, err = s.undoDone(p)
	}
	reply(w, answer, err)
}

// undoDone takes a run back once that was confirmed for exactly what it does now.
func (s visit) undoDone(p posted) (any, error) {
	id, _, _ := strings.Cut(p.On, " ")
	t, err := s.taking(id, p.Both)
	switch {
	case err != nil:
		return nil, err
	case t.on() != p.On || t.do != p.Do:
		return nil, &launcher.OtherStepsError{}
	case len(t.steps) == 0:
		return nil, errors.New("nothing to do")
	}
	if err := s.attempt("act", func() error {
		_, err := s.confirm(t.do, t.on(), p.confirmation)
		return err
	}); err != nil {
		return nil, err
	}
	command := "tadactl undo " + t.Run.ID
	if t.KeepBoth {
		command += " --keep-both"
	}
	l, err := s.inbox.Fresh()
	if err != nil {
		return nil, err
	}
	result, err := l.Undo(t.Take, launcher.UndoOrder{Over: approval.ChannelWeb,
		Command: command, Dir: t.Run.Dir, Shown: launcher.StepsHash(t.steps)})
	if err != nil {
		return nil, err
	}
	said := audit.Plural(len(result.Steps)-result.Refused, "path") + " put back"
	if result.Refused > 0 {
		said += fmt.Sprintf(", %d left as is", result.Refused)
	}
	s.say(fmt.Sprintf("%s  %s: %s", t.Run.ID, t.do, said))
	return map[string]string{"said": said, "run": result.Run}, nil
}
