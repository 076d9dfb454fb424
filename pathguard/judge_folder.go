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

// Folders that the line makes, or that an agent has for what its commands leave.

// fillers put into a folder what a project needs, from the registries of their languages.
var fillers = []string{"mkdir", "go", "npm", "pnpm", "yarn", "pip", "pip3", "uv", "cargo"}

// inNewFolder reports whether a target is in a folder, or is the folder, that the line makes where
// nothing was before, and fills with what it spells out: mkdir /tmp/x && cd /tmp/x && cat > main.go
// <<'E' ... E; go run .
func (j *judgement) inNewFolder(t *resolve.Target, full string) bool {
	if t.Exists || t.Unknown || t.Glob || len(t.Links) > 0 || !j.filled(full) {
		return false
	}
	top := "" // the highest folder that the line makes
	for i := range j.plan.Targets {
		w := &j.plan.Targets[i]
		if w.Right == command.Create && !w.Exists && !w.Unknown && j.makesFolder(w.Command) &&
			pathname.Within(full, w.Path()) && (top == "" || pathname.Within(top, w.Path())) {
			top = w.Path()
		}
	}
	if top == "" {
		top = j.madeFolder(full)
	}
	return top != "" && !slices.ContainsFunc(j.plan.Targets, func(w resolve.Target) bool {
		switch {
		case w.Right == command.Delete, !alters(&w), !w.Unknown && !pathname.Within(w.Path(), top):
			return false
		case t.Flags&command.List == 0 && w.Right == command.Write && !w.Unknown &&
			j.tells(w.Path(), len(j.script.Effects)):
			return false
		}
		return !j.by(w.Command, fillers...) && !j.copiesOwn(w.Command) && !j.makesFolder(w.Command)
	})
}

// filled reports whether the line itself puts something into a folder, or makes the file of that
// name or one beside it: what is in it otherwise was put there by another.
func (j *judgement) filled(full string) bool {
	for i := range j.script.Commands {
		if j.by(i, fillers[1:]...) || j.copiesOwn(i) || j.isGit(i, "worktree", "add") {
			return true
		}
	}
	return slices.ContainsFunc(j.script.Written,
		func(f shellparse.Written) bool {
			return pathname.Within(f.Name, full) || path.Dir(f.Name) == path.Dir(full)
		})
}

// copiesOwn reports whether a command is cp, and all that it copies is in the workspace and not
// from the line itself.
func (j *judgement) copiesOwn(cmd int) bool {
	return j.by(cmd, "cp") && !slices.ContainsFunc(j.plan.Targets, func(r resolve.Target) bool {
		return r.Command == cmd && r.Right == command.Read &&
			(r.Unknown || !j.inside(r.Path()) || j.writesNear(r.Path()) || j.altersIn(r.Path()))
	})
}

// altersIn reports whether the line changes a file, or one in a folder.
func (j *judgement) altersIn(full string) bool {
	return slices.ContainsFunc(j.plan.Targets, func(w resolve.Target) bool {
		return alters(&w) && pathname.Within(w.Path(), full)
	})
}

// inScratch reports whether a file is in a folder that an agent's program makes for what its
// commands leave, by a name that no other program has.
func inScratch(full string) bool {
	const deep = 4 // slashes in the pattern of one session's own folder
	for f := range agents.Of("scratch") {
		if strings.Count(f.Text(), "/") < deep {
			continue
		}
		for dir := path.Dir(full); len(dir) > 1; dir = path.Dir(dir) {
			if ok, _ := path.Match(f.Text(), dir); ok {
				return true
			}
		}
	}
	return false
}

// bring are programs that fill folders which no effect names.
var bring = []string{"git", "hg", "svn", "npm", "pnpm", "yarn", "pip", "pip3", "uv"}

// writesNear reports whether the line may change what is in the folder of a file in a directory for
// temporary files, or above it: then the file is not what a run has left there.
func (j *judgement) writesNear(full string) bool {
	for i := range j.script.Effects {
		if leaves(&j.script.Effects[i]) {
			return true
		}
	}
	for i := range j.script.Commands {
		if j.by(i, bring...) && !j.startsRepository(i) {
			return true
		}
	}
	return slices.ContainsFunc(j.plan.Targets, func(w resolve.Target) bool {
		return alters(&w) && w.Flags&command.Possible == 0 && !harmlessDevice(&w) && (w.Unknown ||
			w.Glob && pathname.WithinAny(w.Path(), pathname.TempDirs) ||
			pathname.Within(full, w.Path()) || pathname.Within(w.Path(), path.Dir(full)) &&
			!pathname.IsTemp(path.Dir(full)))
	})
}

// harmlessDevice reports whether a target is /dev/null or its like.
func harmlessDevice(t *resolve.Target) bool {
	return !t.Unknown && slices.Contains(pathname.HarmlessDevices, t.Path())
}

// isMissing reports whether a program is executed of which not even the first folder is there, in
// the root, and that the line does not make: it fails.
func (j *judgement) isMissing(t *resolve.Target, full string) bool {
	return !t.Exists && t.Real == "/" && !t.Unknown && !t.Glob && len(t.Links) == 0 &&
		t.Why == "" && !j.writesNear(full)
}

// makesEmpty reports whether all that a plan does to a name is to make an empty folder of it, in
// which no program finds anything to run. Where not all of the plan is known, its sandbox would let
// the rest write there.
func (j *judgement) makesEmpty(t *resolve.Target) bool {
	return j.isTool(t.Command, "mkdir") && j.plan.Exact()
}
