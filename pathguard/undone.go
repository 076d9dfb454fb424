package pathguard

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

//go:embed table/undo.txt
var undoTable string

// isKept reports whether all that a hazard does is done to files, of which something is kept.
func isKept(hazard string) bool {
	return strings.Contains(undoTable, "\nhazard "+hazard+"\n")
}

// StandsFor reports whether a question has no other reason than a loss that undo prevents.
func StandsFor(rule string) bool {
	return strings.Contains(undoTable, "\nstands "+rule+"\n")
}

// MayStand reports whether undo could stand for the questions of a plan, under some policy.
func MayStand(plan *resolve.Plan) bool {
	loses := func(t resolve.Target) bool {
		switch t.Right {
		case command.Delete:
			return actionOf(&t) != ToDelete || t.Path() == plan.Workspace
		case command.Write:
			return t.Glob || t.Below()
		}
		return false
	}
	for p := range plan.All() {
		if slices.ContainsFunc(p.Targets, loses) || slices.ContainsFunc(p.Script.Hazards,
			func(h shellparse.Hazard) bool { return StandsFor(h.Rule) }) {
			return true
		}
	}
	return false
}

// StaysKnown reports whether a rule is about a secret that is read: that cannot be taken back.
func StaysKnown(rule string) bool {
	return strings.Contains(undoTable, "\nknown "+rule+"\n")
}

// notKept returns why nothing is kept of the files in a place; "" for the places of which something
// is.
func notKept(p Place) string {
	_, rest, _ := strings.Cut(undoTable, "\nplace "+p.String()+": ")
	why, _, _ := strings.Cut(rest, "\n")
	return why
}
