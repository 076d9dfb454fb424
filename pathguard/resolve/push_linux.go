package resolve

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
)

// oneRemotes finds the commands that work on one repository for certain.
func (r *resolver) oneRemotes() {
	commands := r.plan.Script.Commands
	for i := range commands {
		if to, ok := r.oneRemote(i, &commands[i]); ok &&
			!slices.ContainsFunc(commands[:i], changesRemotes) {
			r.plan.Remotes = append(r.plan.Remotes, to)
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
	if git == nil {
		return to, false
	}
	if remote == "" {
		names := git.remoteNames()
		if len(names) != 1 {
			return to, false
		}
		remote = names[0]
	}
	if !git.plainly(remote) || r.startsHooks(git) ||
		branch != "" && strings.HasPrefix(r.smallFile(git.common+"/refs/heads/"+branch), "ref:") ||
		r.smallFile(git.top+"/.lfsconfig") != "" {
		return to, false
	}
	addresses := git.addresses(remote, branch != "")
	if len(addresses) != 1 {
		return to, false
	}
	if _, local := localAddress(addresses[0]); local {
		return to, false
	}
	end := endpointOf(addresses[0])
	return Remote{at, end.Repository, branch}, end.Host != "" && end.Repository != ""
}

// hooks are those that git runs when it commits, updates a branch or pushes (githooks(5)).
const hooks = "applypatch-msg commit-msg post-commit post-index-change pre-commit pre-push " +
	"prepare-commit-msg reference-transaction"

// startsHooks reports whether git would run code of the repository.
func (r *resolver) startsHooks(git *gitRemotes) bool {
	if git.value("core", "", "hookspath") != "" { // none; see plainly
		return false
	}
	for name := range strings.FieldsSeq(hooks) {
		end := r.Walk(r.Root, git.common+"/hooks/"+name, true)
		end.Close()
		if end.Missing == "" {
			return true
		}
	}
	return false
}
