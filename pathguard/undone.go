package pathguard

import (
	_ "embed"
	"strings"
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
