package pathguard

import (
	"slices"

	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse/code"
	"github.com/tada-run/tada-run/shellparse/command"
)

// What a line writes and a compiler of the same line may take for a source.

// onlyComputes reports whether an effect writes a text that the line spells out, and which is a
// program that only computes if it is taken for a source.
func (j *judgement) onlyComputes(effect int) bool {
	t := j.output(effect)
	if t == nil || !j.tells(t.Path(), len(j.script.Effects)) {
		return false
	}
	for _, f := range j.script.Written {
		if f.Name == t.Path() && !f.Computes() {
			return false
		}
	}
	return true
}

// isData reports whether an effect writes a file of data, that no compiler of the line is given.
func (j *judgement) isData(effect int) bool {
	t := j.output(effect)
	return t != nil && code.IsData(t.Path()) &&
		!slices.ContainsFunc(j.plan.Targets, func(r resolve.Target) bool {
			return r.Right != command.Write && r.Path() == t.Path() &&
				j.by(r.Command, builders...)
		})
}

// makes reports whether the line writes a file before an effect: a key that it makes is no secret
// that was there before.
func (j *judgement) makes(full string, effect int) bool {
	return slices.ContainsFunc(j.plan.Targets, func(w resolve.Target) bool {
		return (w.Right == command.Write || w.Right == command.Create) && !w.Unknown &&
			w.Flags&command.Link == 0 && w.Path() == full && w.Effect < effect
	})
}
