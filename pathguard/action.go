package pathguard

import (
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse/command"
)

// actionOf translates an effect into a column of the table.
func actionOf(t *resolve.Target) Action {
	switch t.Right {
	case command.Read:
		switch {
		case t.Flags&command.Source != 0:
			return ToExecute
		case t.Flags&(command.List|command.Meta) != 0:
			return ToList
		}
		return ToRead
	case command.Exec:
		return ToExecute
	case command.Delete:
		switch {
		case t.Flags&command.Recursive != 0 && !(t.Exists && t.Mode.IsRegular() && !t.Glob):
			return ToWipe
		case t.Glob && !t.One, t.Flags&command.Below != 0:
			return ToSweep
		}
		return ToDelete
	}
	if t.Flags&command.Meta != 0 {
		return ToChange
	}
	return ToWrite
}

// changes reports whether a target is certainly changed. An unknown program is assumed to read many
// a name, and the sandbox protects the names that run later.
func changes(t *resolve.Target, action Action) bool {
	return action >= ToWrite && action <= ToSweep && t.Flags&command.Possible == 0
}
