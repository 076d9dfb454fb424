package console

import (
	"errors"
	"fmt"
	"time"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/export"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/state"
)

// past returns the run with exactly this id.
func (s *Server) past(id string) (past.Run, error) {
	none := fmt.Errorf("no run %q", id)
	if !state.IsID(id) {
		return past.Run{}, none
	}
	p, err := s.inbox.Past(id)
	if errors.Is(err, state.ErrNoSuch) || err == nil && p.ID != id {
		err = none
	}
	return p, err
}

// stateOf is how far a run has come, in a word or two.
func stateOf(p past.Run) string {
	if exit, known := p.Exit(); known {
		return fmt.Sprintf("exit %d", exit)
	}
	switch {
	case p.State == past.Announced:
		return "not started"
	case p.Paused:
		return "stopped"
	}
	return p.State
}

// classOf is the class of that word in the style sheet.
func classOf(p past.Run) string {
	if exit, known := p.Exit(); known && exit != 0 {
		return "failed"
	}
	return p.State
}

// factsOf are the facts of a run that are known.
func factsOf(p past.Run) (list []export.Fact) {
	state := stateOf(p)
	if p.TimedOut {
		state += ", stopped after its time limit"
	}
	ended := ""
	if !p.Ended.IsZero() {
		ended = p.Ended.Local().Format(time.DateTime)
	}
	for _, f := range []export.Fact{{Name: "run", Value: p.ID}, {Name: "state", Value: state},
		{Name: "verdict", Value: p.Verdict}, {Name: "authority", Value: p.Authority},
		{Name: "folder", Value: p.Dir}, {Name: "agent", Value: p.Agent},
		{Name: "work item", Value: p.WorkItem},
		{Name: "began", Value: p.Began.Local().Format(time.DateTime)},
		{Name: "ended", Value: ended}, {Name: "changes", Value: p.RunChanges.String()},
		{Name: "sandbox", Value: p.Level}, {Name: "network", Value: p.Network}} {
		if f.Value != "" {
			list = append(list, export.Fact{Name: f.Name, Value: render.Inert(f.Value)})
		}
	}
	return list
}

// ago is a duration for a person.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return audit.Plural(int(d.Minutes()), "minute") + " ago"
	}
	return audit.Plural(int(d.Hours()), "hour") + " ago"
}
