package pathguard

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
)

// stands decides whether undo stands for the questions of a plan: all of them are about a loss of
// files that undo brings back, and it is certain that everything is kept. Then they become notes.
// Else all of them are asked, and unsure says why if only the certainty is missing.
func (j *judgement) stands(whole Reversible) (stands bool, unsure string) {
	if whole != WhollyReversible || j.strictest() != Ask || j.p.set.Level.Always {
		return false, ""
	}
	for _, r := range j.reasons {
		if r.Decision == Ask && !r.stands {
			return false, ""
		}
	}
	if j.plan.Caller.Undo.Unsure == nil {
		return false, ""
	}
	if unsure = j.plan.Caller.Undo.Unsure(); unsure != "" {
		return false, unsure
	}
	for i := range j.reasons {
		if r := &j.reasons[i]; r.Decision == Ask {
			r.Decision, r.Instead, r.Risk = Allow, "", min(r.Risk, 1)
			r.Message = r.In(English)
		}
	}
	return true, ""
}

// isSpared reports whether the loss of a target is one of files in the workspace alone: by no other
// name could a run change it, and it is not the whole workspace.
func (j *judgement) isSpared(t *resolve.Target, full string) bool {
	if t.Unknown || !pathname.Within(full, j.plan.Workspace) ||
		slices.ContainsFunc(t.Others, j.mayChange) {
		return false
	}
	if full != j.plan.Workspace || j.inOwnRepository(t.Command) {
		return true
	}
	c := j.finder(t.Command)
	return t.Below() && c != nil && len(aims(c)) > 0
}

// isPlain reports whether a reader of the line sees the command. Who hides a deletion may mean
// another one than the person who lets it pass as harmless.
func (j *judgement) isPlain(cmd int) bool {
	return cmd >= 0 && cmd < len(j.script.Commands) && j.script.Commands[cmd].Plain
}

// mayChange reports whether a run could change what has this name too: in the workspace, in a
// directory for temporary files, or where a rule of the configuration allows something.
func (j *judgement) mayChange(name string) bool {
	return j.inside(name) || pathname.WithinAny(name, pathname.TempDirs) ||
		slices.ContainsFunc(j.p.set.Paths, func(r PathRule) bool { return r.Verdict == Allow })
}

// inOwnRepository reports whether a command is git, in the workspace and on the repository that git
// finds there: no option or variable names another one.
func (j *judgement) inOwnRepository(cmd int) bool {
	if !j.isPlain(cmd) {
		return false
	}
	c := &j.script.Commands[cmd]
	return path.Base(c.Name) == "git" && c.Dir != "" && j.inside(path.Clean(c.Dir)) &&
		len(c.Args) > 1 && allStatic(c.Args) && !strings.HasPrefix(c.Args[1].Text, "-") &&
		!namesRepository(c.Assign, j.plan.Caller.Env)
}

// namesRepository reports whether a variable tells git of another repository, work tree or index.
func namesRepository(given []shellparse.Assign, env map[string]string) bool {
	names := func(name string) bool {
		return strings.HasPrefix(name, "GIT_") && slices.ContainsFunc(elsewhereWords,
			func(word string) bool { return strings.Contains(name, word) })
	}
	for _, a := range given {
		if names(a.Name) {
			return true
		}
	}
	for name := range env {
		if names(name) {
			return true
		}
	}
	return false
}

// elsewhereWords are in the names of such variables.
var elsewhereWords = []string{"DIR", "TREE", "INDEX", "NAMESPACE"}
