package pathguard

import (
	"slices"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse/command"
)

// What is executed from a directory for temporary files is the workspace's own code if its runs
// made it, if an agent's folder for such files has it, or if the line itself spells it out or
// builds it. Anything else there is code from outside.

// ownTemporary reports whether a target in a directory for temporary files is own code.
func (j *judgement) ownTemporary(t *resolve.Target, full string) bool {
	for i := range j.plan.Targets { // the program of a command is an effect of the text as well
		if e := &j.plan.Targets[i]; t.Effect < 0 && e.Right == command.Exec &&
			e.Command == t.Command && e.Path() == full {
			t = e
		}
	}
	if j.justBuilt(t, full) || j.justTold(t, full) || j.inNewFolder(t, full) {
		return true
	}
	switch {
	case t.Unknown, len(t.Links) > 0, j.writesNear(full):
		return false
	case !t.Exists: // another account may put something there
		return !t.Glob && t.Flags&(command.List|command.Recursive) == 0 && inScratch(full) &&
			(t.Own || pathname.IsTemp(t.Real))
	case !t.Own, t.Mode.Perm()&0o022 != 0, !t.Mode.IsRegular():
		return false
	}
	wrote := j.plan.Caller.Wrote
	return inScratch(full) || wrote != nil && wrote(t)
}

// runsOwn reports whether the program of a command is code of the workspace, or a temporary file.
func (j *judgement) runsOwn(cmd int) bool {
	return slices.ContainsFunc(j.plan.Targets, func(e resolve.Target) bool {
		return e.Right == command.Exec && e.Command == cmd && !e.Unknown &&
			(j.inside(e.Path()) || pathname.WithinAny(e.Path(), pathname.TempDirs))
	})
}
