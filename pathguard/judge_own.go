package pathguard

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
	"github.com/tada-run/tada-run/shellparse/command"
)

// What is executed from a directory for temporary files is the workspace's own code if its runs
// made it, if an agent's folder for such files has it, or if the line itself brings it: then it is
// judged by where it comes from, as in the workspace. Anything else there is code from outside.

// ownTemporary reports whether a target in a directory for temporary files is own code.
func (j *judgement) ownTemporary(t *resolve.Target) bool {
	for i := range j.plan.Targets { // the program of a command is an effect of the text as well
		if e := &j.plan.Targets[i]; t.Effect < 0 && e.Right == command.Exec &&
			e.Command == t.Command && e.Path() == t.Path() {
			t = e
		}
	}
	switch full := t.Path(); {
	case t.Unknown, len(t.Links) > 0:
		return false
	case t.Exists && !(t.Own && t.Mode.Perm()&0o002 == 0 && (t.Mode.IsRegular() || t.Mode.IsDir())),
		!t.Exists && !t.Own && !pathname.IsTemp(t.Real):
		return false // another account may put something else there
	case inScratch(full), j.brings(t, full), j.newDirectory(t):
		return true
	}
	wrote := j.plan.Caller.Wrote
	return t.Exists && wrote != nil && wrote(t.File())
}

// inScratch reports whether a file is in a folder that an agent's program makes for what its
// commands leave.
func inScratch(full string) bool {
	for f := range agents.Of("scratch") {
		for dir := path.Dir(full); len(dir) > 1; dir = path.Dir(dir) {
			if ok, _ := path.Match(f.Text(), dir); ok {
				return true
			}
		}
	}
	return false
}

// brings reports whether the line writes what it executes, or makes the folder that it is in.
func (j *judgement) brings(t *resolve.Target, full string) bool {
	for i := range j.plan.Targets {
		w := &j.plan.Targets[i]
		if w.Effect < 0 || w.Effect >= t.Effect || w.Unknown || pathname.IsTemp(w.Path()) ||
			!pathname.Within(full, w.Path()) || w.Flags&command.Meta != 0 {
			continue
		}
		if w.Right == command.Write || w.Right == command.Create && !w.Exists {
			return true
		}
	}
	return false
}

// newDirectory reports whether a target is in a directory whose name mktemp(1) is about to choose.
func (j *judgement) newDirectory(t *resolve.Target) bool {
	name, _, inside := strings.Cut(t.Missing, "/")
	return inside && strings.HasSuffix(name, "???") &&
		slices.ContainsFunc(j.script.Commands, func(c shellparse.Command) bool {
			return path.Base(c.Name) == "mktemp"
		})
}

// runsOwn reports whether the program of a command is code of the workspace, or a temporary file.
func (j *judgement) runsOwn(cmd int) bool {
	return slices.ContainsFunc(j.plan.Targets, func(e resolve.Target) bool {
		return e.Right == command.Exec && e.Command == cmd && !e.Unknown &&
			(j.inside(e.Path()) || pathname.WithinAny(e.Path(), pathname.TempDirs))
	})
}
