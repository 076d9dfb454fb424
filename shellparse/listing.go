package shellparse

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// A lister prints names of files or packages that are there, one a line: always, or with one of
// its sub-commands or options.
type lister struct {
	always  bool
	subs    []string // sub-commands that print names
	options []string // options that make it print names; a letter also inside a bundle
}

var listers = map[string]lister{
	"ls": {always: true}, "find": {always: true}, "fd": {always: true}, "fdfind": {always: true},
	"git":  {subs: []string{"ls-files"}, options: []string{"--name-only", "-l", "--files-with-matches"}},
	"go":   {subs: []string{"list"}},
	"rg":   {options: []string{"-l", "--files-with-matches", "--files", "--files-without-match"}},
	"grep": {options: []string{"-l", "-L", "--files-with-matches", "--files-without-match"}},
}

// lists reports whether the output of a command is names of what is there.
func lists(c *call) bool {
	l, ok := listers[base(c.words[0].Text)]
	if !ok || l.always {
		return ok
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

// named says of an unknown value that it is a name out of a listing, if the flow is one.
func (v value) named(f *flow) value {
	v[0].name = f != nil && f.names
	return v
}

// fromListing reports whether a value is a name out of a listing and nothing else.
func (v value) fromListing() bool { return len(v) == 1 && v[0].kind == open && v[0].name }

// isName reports whether a word is a name out of a listing, which no interpreter executes. It
// could be an option only when a file is called like one, so it is none: go vet $(git ls-files)
// is an everyday line, and whoever can make such a file can change what the tool runs in any case.
func (w *walker) isName(c *call, u command.Use, arg int) bool {
	if !c.args[arg].fromListing() {
		return false
	}
	name := base(c.words[0].Text)
	return interpreter(name) == name && !isShell(name) || !slices.ContainsFunc(u.Touches, func(t command.Touch) bool {
		return t.Arg == arg && (t.Flags&command.Source != 0 || t.Right == command.Exec)
	})
}
