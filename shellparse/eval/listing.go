package eval

import (
	"slices"
	"strings"
)

// A lister prints names of files or packages that are there, one a line: always, or with one of
// its sub-commands or options.
type lister struct {
	program string
	always  bool
	first   []string // words that come first, and make it print names
	subs    []string // sub-commands that print names
	options []string // options that make it print names; a letter also inside a bundle
}

var listers = []lister{
	{program: "ls", always: true}, {program: "find", always: true},
	{program: "fd", always: true}, {program: "fdfind", always: true},
	{program: "which", always: true},
	{program: "git", subs: []string{"ls-files"}, options: []string{"--name-only", "-l",
		"--files-with-matches"}},
	{program: "go", subs: []string{"list"}, first: []string{"env GOMODCACHE", "env GOPATH",
		"env GOROOT", "env GOCACHE", "env GOBIN", "env GOTOOLDIR", "env GOMOD", "env GOWORK"}},
	{program: "rg", options: []string{"-l", "--files-with-matches", "--files",
		"--files-without-match"}},
	{program: "grep", options: []string{"-l", "-L", "--files-with-matches",
		"--files-without-match"}},
	{program: "npm", first: []string{"root", "prefix"}},
	{program: "pnpm", first: []string{"root"}},
	{program: "brew", first: []string{"--prefix", "--cellar", "--repository"}},
	{program: "rustc", first: []string{"--print sysroot"}},
	{program: "gem", first: []string{"env gemdir", "environment gemdir"}},
}

// lists reports whether the output of a command is names of what is there.
func lists(c *call) bool {
	name := base(c.words[0].Text)
	at := slices.IndexFunc(listers, func(l lister) bool { return l.program == name })
	if at < 0 {
		return false
	}
	l := listers[at]
	if l.always || name == "git" && c.listsCommits() {
		return true
	}
	if slices.ContainsFunc(l.first, c.begins) {
		return true
	}
	for _, word := range c.words[1:] {
		switch {
		case !word.Static:
		case slices.Contains(l.subs, word.Text) || slices.Contains(l.options, word.Text):
			return true
		case len(word.Text) > 2 && word.Text[0] == '-' && word.Text[1] != '-':
			for _, o := range l.options {
				if len(o) == 2 && strings.Contains(word.Text[1:], o[1:]) {
					return true
				}
			}
		}
	}
	return false
}

// parsing are options with which git rev-parse prints a name; others it may print as they are.
var parsing = []string{"--abbrev-ref", "--absolute-git-dir", "--git-common-dir", "--git-dir",
	"--short", "--show-prefix", "--show-toplevel", "--verify", "-q", "--quiet"}

// choosing are options of git rev-list that choose commits, and change nothing about how each is
// printed.
var choosing = []string{"--", "--after", "--all", "--ancestry-path", "--author", "--before",
	"--branches", "--count", "--date-order", "--first-parent", "--grep", "--max-count", "--merges",
	"--no-merges", "--not", "--reverse", "--since", "--skip", "--tags", "--topo-order", "--until",
	"-n"}

// listsCommits reports whether git prints names of commits, branches or its folders, or the changed
// files.
func (c *call) listsCommits() bool {
	verb, rest := gitVerb(c.words)
	switch verb {
	case "merge-base":
		return true
	case "describe": // --dirty=TEXT adds the text
		return !slices.ContainsFunc(rest, func(x Word) bool {
			return !x.Static && x.Text == "" || strings.HasPrefix(x.Text, "--d") ||
				strings.HasPrefix(x.Text, "--b")
		})
	case "branch":
		return len(rest) == 1 && rest[0].Text == "--show-current"
	case "status":
		return slices.ContainsFunc(rest, func(x Word) bool {
			return x.Text == "-s" || x.Text == "--short" || x.Text == "--porcelain"
		})
	case "rev-list":
		for i, x := range rest {
			arg := c.args[len(c.args)-len(rest)+i]
			named := len(arg) > 0 && arg[:1].fromListing()
			option, _, _ := strings.Cut(x.Text, "=")
			if !x.Static && !named || strings.HasPrefix(x.Text, "-") &&
				!slices.Contains(choosing, option) && strings.Trim(x.Text[1:], "0123456789") != "" {
				return false
			}
		}
		return true
	case "rev-parse":
		return !slices.ContainsFunc(rest, func(x Word) bool {
			return !x.Static && x.Text == "" || strings.HasPrefix(x.Text, "-") &&
				!slices.Contains(parsing, strings.SplitN(x.Text, "=", 2)[0])
		})
	}
	return false
}

// begins reports whether the words of a command begin, behind its name, with these.
func (c *call) begins(words string) bool {
	for i, word := range strings.Fields(words) {
		if len(c.words) <= i+1 || !c.words[i+1].Static || c.words[i+1].Text != word {
			return false
		}
	}
	return true
}

// toolFolders are commands that print such a folder.
var toolFolders = []string{"go env GOPATH", "go env GOBIN", "go env GOROOT", "brew --prefix",
	"python3 -m site --user-base", "python -m site --user-base", "npm prefix -g",
	"npm config get prefix", "gem env gemdir", "yarn global bin"}

// decidingTools are variables that decide what these print. A name that the shell was given is
// passed on when it is assigned without export.
var decidingTools = []string{"HOME", "GOPATH", "GOBIN", "GOROOT", "GOENV", "XDG_CONFIG_HOME",
	"HOMEBREW_PREFIX", "PYTHONUSERBASE", "PREFIX", "NPM_CONFIG_PREFIX", "npm_config_prefix",
	"GEM_HOME", "PATH"}

// printsTools reports whether a command is one of these, and nothing in the text decides what it
// prints: it is given no variable and no settings.
func (w *commands) printsTools(s *state, c *call) bool {
	words := make([]string, 0, len(c.words))
	for _, word := range c.words {
		if !word.Static {
			return false
		}
		words = append(words, word.Text)
	}
	return slices.Contains(toolFolders, strings.Join(words, " ")) && len(c.assign) == 0 &&
		!s.open && !s.env.passesOn() && !slices.ContainsFunc(decidingTools, s.env.has) &&
		!slices.ContainsFunc([]string{"env -w", "config set", "rc"},
			func(sets string) bool { return strings.Contains(w.out.Text, sets) })
}
