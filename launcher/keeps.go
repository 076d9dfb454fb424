package launcher

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/frozen"
)

// undoOf is what undo can do for a run of this request, apart from what the policy says.
func (l *Launcher) undoOf(req Request) frozen.Undo {
	u := frozen.Undo{Session: req.Hold != nil || req.Within != nil}
	switch {
	case req.Tool != nil && !req.Tool.undoes:
		u.Not = "the agent's own program does this, and nothing is kept of it"
	case l.level() == sandbox.None:
		u.Not = "there is no sandbox here, so nothing is kept"
	}
	return u
}

// keepsOf is what undo keeps of a run under settings: the fact by which the policy says what can be
// taken back. unsure says why it is not certain, for reasons of this machine.
func keepsOf(u frozen.Undo, set pathguard.Undo, background bool,
	unsure func() string) pathguard.Kept {
	k := pathguard.Kept{For: set.Keep, Except: set.Except, Room: set.Quota}
	const goesOn = "what goes on in the background when the command has ended"
	switch {
	case set.Quota == 0:
		k.Why = "undo.quota is 0, so nothing is kept"
	case u.Not != "":
		k.Why = u.Not
	case set.AsksAnyway || u.Session:
		k.On = true
	case background:
		k.On, k.Unsure = true, func() string { return goesOn + " is not kept" }
	default:
		k.On, k.Unsure = true, unsure
	}
	if u.Session {
		k.Lacks = []string{"what changes outside of the workspace"}
	}
	if background {
		k.Lacks = append(k.Lacks, goesOn)
	}
	return k
}

// undoSettings are those in force. A configuration that is refused keeps what its defaults keep.
func (l *Launcher) undoSettings() pathguard.Undo { return undoUnder(l.policy, l.account) }

// undoUnder are the settings of a policy for the account with that home.
func undoUnder(p pathguard.Policy, home string) pathguard.Undo {
	set := p.Settings().UndoInForce()
	set.Except = slices.Clone(set.Except)
	for i, name := range set.Except {
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			set.Except[i] = filepath.Join(home, rest)
		}
	}
	return set
}
