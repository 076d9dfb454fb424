package preimage

import (
	"slices"

	"github.com/tada-run/tada-run/launcher/undo"
)

// An overall is what several parts have changed together.
type overall struct {
	was, is map[string]bool // whether something was at a path before the first part, and is now
	lacks   []undo.Lack
}

// add adds what a further part has changed, and what it lacks.
func (o *overall) add(changes []undo.Change, lacks []undo.Lack) {
	if o.was == nil {
		o.was, o.is = map[string]bool{}, map[string]bool{}
	}
	for _, l := range lacks {
		o.miss(l)
	}
	for _, c := range changes {
		was := !c.Before.Absent()
		if before, ok := o.was[c.From]; ok && c.From != "" {
			was = before // it was renamed, and changed before that
			delete(o.was, c.From)
			delete(o.is, c.From)
		}
		if _, ok := o.was[c.Path]; !ok {
			o.was[c.Path] = was
		}
		o.is[c.Path] = !c.After.Absent()
	}
}

// maxMissed bounds what is named of what was missed.
const maxMissed = 64

// miss adds a change of which nothing is kept.
func (o *overall) miss(l undo.Lack) {
	if len(o.lacks) < maxMissed && !slices.Contains(o.lacks, l) {
		o.lacks = append(o.lacks, l)
	}
}

func (o *overall) summary() undo.Summary {
	s := undo.Summary{Lacks: o.lacks}
	for path, was := range o.was {
		switch is := o.is[path]; {
		case was && is:
			s.Changed++
		case was:
			s.Removed++
		case is:
			s.Added++
		}
	}
	s.Grade()
	return s
}
