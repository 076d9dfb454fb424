package resolve

import (
	_ "embed"
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
)

// A Remote is the one repository that a command of git or a forge works on, where its words, the
// settings and the repository leave no doubt: nothing but that is changed by it, and git starts
// nothing for it.
type Remote struct {
	Command int    // index in Script.Commands
	Address string // as the settings have it
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

//go:embed plain_git.txt
var plainGitText string

// plainGit yields the settings of the table, each with the values that it may have; none for all.
func plainGit(yield func(key string, values []string) bool) {
	for line := range strings.Lines(plainGitText) {
		for line = strings.TrimSpace(line); line != "" && line[0] != '#'; {
			end, quoted := 0, false
			for ; end < len(line) && (quoted || line[end] != ' '); end++ {
				quoted = quoted != (line[end] == '"')
			}
			key, values, some := strings.Cut(line[:end], "=")
			var list []string
			if some {
				list = strings.Split(strings.Trim(values, `"`), ",")
			}
			if !yield(key, list) {
				return
			}
			line = strings.TrimSpace(line[end:])
		}
	}
}

// isPlain reports whether a setting changes nothing about a push.
func (s gitSetting) isPlain() bool {
	for key, values := range plainGit {
		section, last, _ := strings.Cut(key, ".")
		middle := ""
		if before, after, found := strings.Cut(last, "."); found {
			middle, last = before, after
		}
		if section == s.section && (middle == s.name || middle == "*" && s.name != "") &&
			(last == s.key || last == "*") && (values == nil || slices.Contains(values, s.value) ||
			values[0] == "WORD" && isWord(s.value)) {
			return true
		}
	}
	return false
}

// isWord reports whether a value is a name that git looks for among its own programs.
func isWord(value string) bool {
	return value != "" && strings.Trim(value, refLetters) == "" && !strings.Contains(value, "/")
}

// only returns the remote of settings that have one, and its address, if no setting changes what
// git or a forge does with it: where else it goes, under which name, by which program.
func (g *gitRemotes) only() (name, address string) {
	for _, s := range g.settings {
		switch {
		case !s.isPlain():
			return "", ""
		case s.section != "remote":
		case name != "" && name != s.name || s.key == "url" && address != "":
			return "", ""
		case s.key == "url":
			name, address = s.name, s.value
		default:
			name = s.name
		}
	}
	if !plainAddress(address) {
		return "", ""
	}
	return name, address
}

// plainAddress reports whether an address is of a usual form, which git and we read alike.
func plainAddress(address string) bool {
	rest, web := strings.CutPrefix(address, "https://")
	if !web {
		var ssh bool
		if rest, ssh = strings.CutPrefix(strings.TrimPrefix(address, "ssh://"), "git@"); !ssh {
			return false
		}
	}
	return rest != "" && !strings.ContainsAny(rest[:1], "./-:") && !strings.Contains(rest, "..") &&
		strings.Trim(rest, refLetters+":~") == ""
}
