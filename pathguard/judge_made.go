package pathguard

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// Folders that the commands of a line make, and what they put into them.

// madeFolder is the folder that mktemp makes in the line, and that is this one or has it in it, by
// the name that stands for what mktemp will choose; "" if there is none.
func (j *judgement) madeFolder(full string) string {
	if !slices.ContainsFunc(j.script.Commands,
		func(c shellparse.Command) bool { return path.Base(c.Name) == "mktemp" }) {
		return ""
	}
	for dir := full; len(dir) > 1; dir = path.Dir(dir) {
		if strings.Contains(path.Base(dir), "???") {
			return dir
		}
	}
	return ""
}

// startsRepository reports whether a command is git init: it brings nothing from elsewhere.
func (j *judgement) startsRepository(cmd int) bool { return j.isGit(cmd, "init") }

// makesFolder reports whether a command makes a folder that is empty, or has what a commit of the
// repository has, which the line does not fetch.
func (j *judgement) makesFolder(cmd int) bool {
	return j.by(cmd, "mkdir", "cargo") || j.isGit(cmd, "worktree", "add") &&
		!slices.ContainsFunc(j.script.Effects, func(e shellparse.Effect) bool { return leaves(&e) })
}

// isGit reports whether a command is git with a sub-command, in words that the line spells out.
func (j *judgement) isGit(cmd int, sub ...string) bool {
	if !j.by(cmd, "git") || len(j.script.Commands[cmd].Args) <= len(sub) {
		return false
	}
	for i, word := range sub {
		if w := j.script.Commands[cmd].Args[i+1]; !w.Static || w.Text != word {
			return false
		}
	}
	return true
}

// removesMade reports whether a command is git that removes a work tree which the same line adds.
func (j *judgement) removesMade(cmd int) bool {
	return j.isGit(cmd, "worktree", "remove") && slices.ContainsFunc(j.plan.Targets,
		func(d resolve.Target) bool {
			return d.Right == command.Delete && d.Command == cmd && slices.ContainsFunc(
				j.plan.Targets, func(c resolve.Target) bool {
					return c.Right == command.Create && !c.Exists && !c.Unknown && !d.Unknown &&
						c.Path() == d.Path() && c.Command < cmd &&
						j.isGit(c.Command, "worktree", "add")
				})
		})
}

// fillsImage reports whether a new file system is for nothing but files which are not there before
// the line makes them.
func (j *judgement) fillsImage(h shellparse.Hazard) bool {
	if h.Rule != "disk.format" || !strings.HasPrefix(j.programOf(h.Command), "mk") {
		return false
	}
	made := false
	for i := range j.plan.Targets {
		t := &j.plan.Targets[i]
		if t.Command != h.Command || t.Right != command.Write {
			continue
		}
		if t.Exists || t.Unknown || t.Glob || len(t.Links) > 0 ||
			!j.inside(t.Path()) && !pathname.WithinAny(t.Path(), pathname.TempDirs) ||
			!j.makes(t.Path(), t.Effect) {
			return false
		}
		made = true
	}
	return made && !slices.ContainsFunc(j.script.Opaque,
		func(o shellparse.Opaque) bool { return o.Command == h.Command })
}

// programOf is the program of a command, without its directory; "" if there is none.
func (j *judgement) programOf(cmd int) string {
	if cmd < 0 || cmd >= len(j.script.Commands) {
		return ""
	}
	return path.Base(j.script.Commands[cmd].Name)
}
