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
// made it, if an agent's folder for such files has it, or if the line itself spells it out or
// builds it. Anything else there is code from outside.

// ownTemporary reports whether a target in a directory for temporary files is own code.
func (j *judgement) ownTemporary(t *resolve.Target, full string) bool {
	if j.justBuilt(t, full) || j.justTold(t, full) || j.inNewDirectory(t, full) {
		return true
	}
	for i := range j.plan.Targets { // the program of a command is an effect of the text as well
		if e := &j.plan.Targets[i]; t.Effect < 0 && e.Right == command.Exec &&
			e.Command == t.Command && e.Path() == full {
			t = e
		}
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
	return inScratch(full) || wrote != nil && wrote(t.File())
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

// writesNear reports whether the line may change what is in the folder of a file in a directory for
// temporary files, or above it: then the file is not what a run has left there.
func (j *judgement) writesNear(full string) bool {
	return slices.ContainsFunc(j.plan.Targets, func(w resolve.Target) bool {
		if w.Right == command.Read || w.Right == command.Exec || w.Right == command.Net ||
			w.Flags&(command.Meta|command.Possible) != 0 {
			return false
		}
		return w.Unknown && (w.Real == "" || pathname.WithinAny(w.Real, pathname.TempDirs)) ||
			pathname.Within(full, w.Path()) || pathname.Within(w.Path(), path.Dir(full)) &&
			!pathname.IsTemp(path.Dir(full))
	})
}

// copiers put into a new directory what is in the workspace, or what they know by themselves.
var copiers = []string{"cp", "mkdir", "touch", "npm", "pnpm", "yarn", "go"}

// inNewDirectory reports whether what is executed is in a directory that mktemp(1) makes in the
// same line, into which the line puts files of the workspace alone.
func (j *judgement) inNewDirectory(t *resolve.Target, full string) bool {
	name, _, inside := strings.Cut(t.Missing, "/")
	if t.Exists || t.Unknown || !inside || !pathname.IsTemp(t.Real) ||
		!slices.ContainsFunc(j.script.Commands[:max(t.Command, 0)], makesName(name)) {
		return false
	}
	for i := range j.script.Effects {
		if leaves(&j.script.Effects[i]) {
			return false
		}
	}
	dir := pathname.Join(t.Real, name)
	for i := range j.plan.Targets {
		w := &j.plan.Targets[i]
		by := ""
		if w.Command >= 0 && w.Command < len(j.script.Commands) {
			by = j.script.Commands[w.Command].Name
		}
		switch {
		case w.Right == command.Net, w.Flags&command.Meta != 0, w.Right == command.Delete:
		case w.Right == command.Read || w.Right == command.Exec:
			if by == "cp" && !j.inside(w.Path()) && !pathname.Within(w.Path(), dir) {
				return false
			}
		case !pathname.Within(w.Path(), dir) && !pathname.Within(dir, w.Path()):
		case !slices.Contains(copiers, by):
			return false
		}
	}
	return true
}

// makesName returns what reports whether a command is mktemp(1) with a template.
func makesName(template string) func(shellparse.Command) bool {
	return func(c shellparse.Command) bool {
		return c.Name == "mktemp" && (template == "tmp.XXXXXXXXXX" ||
			slices.ContainsFunc(c.Args, func(w shellparse.Word) bool {
				return path.Base(w.Text) == template
			}))
	}
}

// runsOwn reports whether the program of a command is code of the workspace, or a temporary file.
func (j *judgement) runsOwn(cmd int) bool {
	return slices.ContainsFunc(j.plan.Targets, func(e resolve.Target) bool {
		return e.Right == command.Exec && e.Command == cmd && !e.Unknown &&
			(j.inside(e.Path()) || pathname.WithinAny(e.Path(), pathname.TempDirs))
	})
}
