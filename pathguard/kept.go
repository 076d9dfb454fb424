package pathguard

import (
	"path/filepath"
	"slices"
	"strings"
)

// UndoOf are the settings of undo for the account with that home.
func (p Policy) UndoOf(home string) Undo {
	set := p.Settings().UndoInForce()
	set.Except = slices.Clone(set.Except)
	for i, name := range set.Except {
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			set.Except[i] = filepath.Join(home, rest)
		}
	}
	return set
}

// Kept is what undo keeps of a run under these settings: the fact by which the policy says what can
// be taken back. not says why it can keep nothing, and unsure why it is not certain, for reasons of
// this machine.
func (u Undo) Kept(not string, session, background bool, unsure func() string) Kept {
	k := Kept{For: u.Keep, Except: u.Except, Room: u.Quota}
	const goesOn = "what goes on in the background when the command has ended"
	switch {
	case u.Quota == 0:
		k.Why = "undo.quota is 0, so nothing is kept"
	case not != "":
		k.Why = not
	case u.AsksAnyway || session:
		k.On = true
	case background:
		k.On, k.Unsure = true, func() string { return goesOn + " is not kept" }
	default:
		k.On, k.Unsure = true, unsure
	}
	if session {
		k.Lacks = []string{"what changes outside of the workspace"}
	}
	if background {
		k.Lacks = append(k.Lacks, goesOn)
	}
	return k
}
