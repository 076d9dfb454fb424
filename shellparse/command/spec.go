package command

import (
	_ "embed"
	"strings"
)

// A Spec is the entry of one program, or of one of its sub-commands. It is immutable and
// safe for concurrent use.
type Spec struct {
	Name     string // as the entry spells it; "git push" for a sub-command
	Closed   bool   // every option is in the entry, so another one is suspicious
	ReadOnly bool   // nothing is changed unless an option or operand says so

	posix     bool   // options end at the first operand
	dash      bool   // long options with one dash, no bundles (go, java, terraform)
	raw       bool   // the words follow a grammar of their own (find, dd)
	plus      bool   // +x is an option
	old       bool   // the first word may be a bundle without a dash (tar xf)
	remote    bool   // what it starts runs elsewhere
	versioned bool   // it is installed under names with a version, too
	project   string // the file in the directory it works in that it executes by itself
	filter    string
	stdin     string

	marks    []string
	options  []string // lines of option tokens, unparsed: a line asks for two of a hundred
	patterns []string // lines of operands, unparsed: "-t -x !mark : slots" or " : slots"
	subs     string   // the unparsed text of its sub-commands, which come last
	up       *Spec    // the program above: its options stay valid
}

// An option is one option with all its spellings.
type option struct {
	names    string // with their dashes, joined by commas
	value    role   // kind "" when it takes none
	optional bool   // the value must be in the same word
	given    int    // how often a line gave it
	marks    []string
}

// A role says what a word means: the kind of the roles table, its parameter and marks.
type role struct {
	kind  string
	param string
	marks []string
}

// A slot is a role and how many operands it takes.
type slot struct {
	role
	min, max int
}

// A pattern distinguishes operands. It counts when one of its options is present; the pattern
// without any is the last resort.
type pattern struct {
	with  []string
	marks []string
	slots []slot
}

const unlimited = 1 << 30

// has reports whether the option has this spelling.
func (o *option) has(name string) bool {
	for names := o.names; ; {
		have, rest, more := strings.Cut(names, ",")
		if have == name {
			return true
		}
		if !more {
			return false
		}
		names = rest
	}
}
