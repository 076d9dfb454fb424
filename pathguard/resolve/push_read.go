package resolve

import (
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/walk"

	"github.com/tada-run/tada-run/shellparse"
)

// oneRemotes finds the commands that work on one repository for certain.
func (r *resolver) oneRemotes() {
	for i := range r.plan.Script.Commands {
		c := &r.plan.Script.Commands[i]
		if to, ok := r.oneRemote(i, c); ok {
			r.plan.Remotes = append(r.plan.Remotes, to)
		}
		if changesRemotes(*c) {
			return
		}
	}
}

// oneRemote finds the repository of a command where nothing else decides it.
func (r *resolver) oneRemote(at int, c *shellparse.Command) (to Remote, ok bool) {
	remote, branch := "", ""
	switch path.Base(c.Name) {
	case "git":
		if remote, branch = pushWords(c); remote == "" {
			return to, false
		}
	case "gh":
	default:
		return to, false
	}
	git := r.gitRemotes(c)
	if git == nil || git.includes {
		return to, false
	}
	name, address := git.only()
	if name == "" || remote != "" && remote != name || r.startsHooks(git) ||
		r.isThere(git.top+"/.lfsconfig") ||
		r.isThere(git.place+"/config.worktree") || branch != "" && !r.isBranch(git, branch) {
		return to, false
	}
	return Remote{at, address}, true
}

// startsHooks reports whether git would run code of the repository: all but the samples
// (githooks(5)).
func (r *resolver) startsHooks(git *gitRemotes) bool {
	if git.value("core", "", "hookspath") != "" { // none
		return false
	}
	end := r.Walk(r.Root, git.common+"/hooks", true)
	defer end.Close()
	if end.Missing != "" {
		return false
	}
	fd, err := walk.Reopen(end.FD)
	if err != nil {
		return true
	}
	f := os.NewFile(uintptr(fd), "hooks")
	defer f.Close()
	names, err := f.Readdirnames(-1)
	return err != nil || slices.ContainsFunc(names,
		func(name string) bool { return !strings.HasSuffix(name, ".sample") })
}

// otherRefs are what git takes a word for besides a branch, before the word and behind it
// (gitrevisions(7)).
var otherRefs = [][2]string{{"", ""}, {"refs/", ""}, {"refs/tags/", ""}, {"refs/remotes/", ""},
	{"refs/remotes/", "/HEAD"}}

// isBranch reports whether a word names a branch and nothing else, and the branch a commit.
func (r *resolver) isBranch(git *gitRemotes, name string) bool {
	packed, ok := r.settingsFile(git.common + "/packed-refs")
	if !ok {
		return false
	}
	isPacked := func(ref string) bool { return strings.Contains(packed, " "+ref+"\n") }
	for _, o := range otherRefs {
		ref := o[0] + name + o[1]
		if r.isThere(git.common+"/"+ref) || r.isThere(git.place+"/"+ref) || isPacked(ref) {
			return false
		}
	}
	file := git.common + "/refs/heads/" + name
	end := r.Walk(r.Root, file, false)
	defer end.Close()
	switch {
	case end.Missing != "":
		return isPacked("refs/heads/" + name)
	case end.Stat.Mode&unix.S_IFMT != unix.S_IFREG || end.Real != file:
		return false
	}
	return isHash(strings.TrimSuffix(r.smallFile(file), "\n"))
}
