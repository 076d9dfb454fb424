package resolve

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
)

// A Remote is the one repository that a command of git or a forge works on, where its words, the
// settings and the repository leave no doubt: nothing but that is changed by it, and git starts
// nothing for it.
type Remote struct {
	Command    int    // index in Script.Commands
	Repository string // HOST/PATH
	Branch     string // that is pushed, to the same name; "" for a command of a forge
}

// pushOptions are the options of git push that change nothing about what is pushed where.
var pushOptions = []string{"-u", "--set-upstream", "-q", "--quiet", "-v", "--verbose", "--progress",
	"--porcelain"}

// pushWords are the remote and the branch of `git push REMOTE BRANCH`; "" for any other form, as
// one with a destination of its own, a tag, or what is checked out at that moment.
func pushWords(c *shellparse.Command) (remote, branch string) {
	var names []string
	for i, w := range c.Args {
		switch {
		case !w.Static:
			return "", ""
		case i < 2:
			if want := []string{"git", "push"}[i]; path.Base(w.Text) != want {
				return "", ""
			}
		case slices.Contains(pushOptions, w.Text):
		case strings.HasPrefix(w.Text, "-"):
			return "", ""
		default:
			names = append(names, w.Text)
		}
	}
	if len(names) != 2 || !PlainRef(names[0]) || strings.Contains(names[0], "/") ||
		!PlainRef(names[1]) {
		return "", ""
	}
	return names[0], names[1]
}

// wholeRefs begin names that are no branch as it is shown.
var wholeRefs = []string{"refs", "heads", "tags", "remotes", "HEAD", "FETCH_HEAD", "ORIG_HEAD",
	"MERGE_HEAD", "CHERRY_PICK_HEAD"}

// PlainRef reports whether a word is an ordinary name of a branch: git-check-ref-format(1) allows
// more.
func PlainRef(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return name != "" && path.Clean(name) == name && !slices.Contains(wholeRefs, first) &&
		!strings.ContainsAny(name[:1], "./-") && !strings.Contains(name, "..") &&
		!strings.HasSuffix(name, ".lock") &&
		strings.Trim(name, refLetters) == ""
}

const refLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/"

// plainRemoteKeys are settings of a remote that change nothing about a push but its address.
var plainRemoteKeys = []string{"url", "pushurl", "fetch", "prune", "tagopt"}

// plainly reports whether no setting changes what `git push REMOTE BRANCH` does: where else it
// pushes, under which name, by which program.
func (g *gitRemotes) plainly(remote string) bool {
	for _, s := range g.settings {
		value := strings.ToLower(s.value)
		fine := true
		switch s.section {
		case "push":
			fine = s.key == "default" && slices.Contains([]string{"simple", "current", "nothing"},
				value) || s.key == "autosetupremote"
		case "remote":
			fine = s.name == "" || s.name != remote && s.key != "gh-resolved" ||
				slices.Contains(plainRemoteKeys, s.key)
		case "submodule":
			fine = s.name != "" // submodule.recurse
		case "lfs", "hub", "gh":
			fine = false
		case "core":
			fine = s.key != "hookspath" || value == "/dev/null"
		case "extensions":
			fine = s.key != "refstorage"
		case "branch":
			fine = s.key != "pushremote"
		}
		if !fine {
			return false
		}
	}
	return true
}

// remoteNames are the remotes that have an address.
func (g *gitRemotes) remoteNames() (names []string) {
	for _, s := range g.settings {
		if s.section == "remote" && s.key == "url" && !slices.Contains(names, s.name) {
			names = append(names, s.name)
		}
	}
	return names
}
