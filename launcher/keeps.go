package launcher

import (
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/frozen"
	"github.com/tada-run/tada-run/pathguard/pathname"
)

// undoOf is what undo can do for a run of this request, apart from what the policy says.
func (l *Launcher) undoOf(req Request) frozen.Undo {
	u := frozen.Undo{Session: req.Hold != nil || req.Within != nil}
	switch {
	case req.Tool != nil && !req.Tool.undoes:
		u.Not = "the agent's own program does this, and nothing is kept of it"
	case !answersCalls:
		u.Not = "on this system only files that the line names are kept, before it starts"
	case l.level() == sandbox.None:
		u.Not = "there is no sandbox here, so nothing is kept"
	}
	return u
}

// undoSettings are those in force. A configuration that is refused keeps what its defaults keep.
func (l *Launcher) undoSettings() pathguard.Undo { return l.policy.UndoOf(l.account) }

// outside are the folders of a session's own program: its conversations and settings stay as they
// are when the work in the workspace is taken back.
func outside(list []sandbox.Path, ground string) (names []string) {
	for _, p := range list {
		if !pathname.Within(p.Name, ground) && !pathname.Within(ground, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

func names(list []sandbox.Path) (names []string) {
	for _, p := range list {
		names = append(names, p.Name)
	}
	return names
}
