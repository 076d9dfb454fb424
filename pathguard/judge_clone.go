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

// A push from a clone that the line makes of a folder of this machine leaves nothing: its origin is
// that folder.

// pushesBack reports whether an effect is a push to the origin of such a clone.
func (j *judgement) pushesBack(e *shellparse.Effect) bool {
	if e.Command < 0 || e.Net.Host != "origin" || j.inner || !j.isGit(e.Command, "push") {
		return false
	}
	c := &j.script.Commands[e.Command]
	if c.Dir == "" || len(c.Assign) > 0 || c.Changed || !allStatic(c.Args) ||
		!slices.ContainsFunc(c.Args, func(w shellparse.Word) bool { return w.Text == "origin" }) ||
		namesRepository(nil, j.plan.Caller.Env) {
		return false
	}
	for i := e.Command - 1; i >= 0; i-- {
		if j.clonesHere(i, c.Dir) {
			return j.leavesGit(path.Clean(c.Dir))
		}
		if !j.leavesRemotes(i) {
			return false
		}
	}
	return false
}

// leavesRemotes reports whether a command changes no address of a clone.
func (j *judgement) leavesRemotes(cmd int) bool {
	c := &j.script.Commands[cmd]
	if !j.by(cmd, "git") {
		return resolve.TellsWrites(c)
	}
	return allStatic(c.Args) && slices.ContainsFunc(changesNoRemote,
		func(sub string) bool { return j.isGit(cmd, sub) }) &&
		!slices.ContainsFunc(c.Args, func(w shellparse.Word) bool {
			return strings.HasPrefix(w.Text, "--o") // --output writes any file
		})
}

// leavesGit reports whether nothing but git writes what belongs to git in a folder.
func (j *judgement) leavesGit(dir string) bool {
	for i := range j.script.Commands { // a loop comes to those behind the push as well
		if j.by(i, "git") && !j.isGit(i, "clone") && !j.leavesRemotes(i) {
			return false
		}
	}
	return !slices.ContainsFunc(j.script.Effects, func(e shellparse.Effect) bool {
		if e.Right == command.Read || e.Right == command.Net || j.by(e.Command, "git") {
			return false
		}
		name := rooted(e.Name.Dir, e.Name.Text)
		return !e.Name.Static || e.Flags&(command.Recursive|command.Below|command.Link) != 0 ||
			pathname.Within(name, pathname.Join(dir, ".git")) ||
			pathname.Within(dir, name) && e.Right != command.Create
	})
}

// rooted is the path of a name that starts in a directory, if it is relative.
func rooted(dir, name string) string {
	if !path.IsAbs(name) {
		name = pathname.Join(dir, name)
	}
	return path.Clean(name)
}

// changesNoRemote are the sub-commands that leave the addresses of a clone as they are.
var changesNoRemote = []string{"add", "branch", "checkout", "commit", "diff", "log", "push",
	"rev-parse", "show", "status", "switch", "tag"}

// clonesHere reports whether a command clones a folder of the workspace, or a temporary one, into
// the folder that another command works in, which is not there before.
func (j *judgement) clonesHere(cmd int, dir string) bool {
	if !j.isGit(cmd, "clone") {
		return false
	}
	c := &j.script.Commands[cmd]
	var names []string
	for _, w := range c.Args[2:] {
		switch {
		case strings.HasPrefix(w.Text, "-") && !slices.Contains(cloneOptions, w.Text),
			!w.Static && len(names) == 0:
			return false
		case !strings.HasPrefix(w.Text, "-"):
			names = append(names, w.Text)
		}
	}
	if len(names) != 2 || c.Dir == "" || len(c.Assign) > 0 || c.Changed ||
		strings.ContainsAny(names[0], ":") {
		return false
	}
	from, to := rooted(c.Dir, names[0]), j.creates(cmd)
	if strings.Contains(to, "??") && strings.Contains(j.script.Text, "??") {
		return false // a folder of that very name, and not the one that mktemp makes
	}
	near := j.inside(from) || pathname.WithinAny(from, pathname.TempDirs)
	return near && to == path.Clean(dir) && j.isNew(to)
}

// creates is the one folder that a command creates; "" if it is not known.
func (j *judgement) creates(cmd int) (full string) {
	for i := range j.script.Effects {
		if e := &j.script.Effects[i]; e.Command == cmd && e.Right == command.Create {
			if !e.Name.Static || full != "" {
				return ""
			}
			full = rooted(e.Name.Dir, e.Name.Text)
		}
	}
	return full
}

// cloneOptions change nothing about where a clone is from.
var cloneOptions = []string{"-q", "--quiet", "-l", "--local", "--no-local", "--bare",
	"--no-hardlinks"}

// isNew reports whether the line makes a folder that is not there.
func (j *judgement) isNew(full string) bool {
	for i := range j.plan.Targets {
		if t := &j.plan.Targets[i]; alters(t) && t.Path() == full {
			return !t.Exists && len(t.Links) == 0
		}
	}
	return false
}
