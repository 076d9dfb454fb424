package command

import "slices"

// A value is a word, or the piece of it that counts, and its index in args.
type value struct {
	Arg
	at int
}

// piece returns the value that starts at a byte offset of the word.
func (v value) piece(from int) value {
	v.Text = v.Text[min(from, len(v.Text)):]
	return v
}

// A given is an option as written on the line.
type given struct {
	*option
	v   value
	set bool // v is its value
}

// A matcher reads one argv by one entry.
type matcher struct {
	args []Arg
	use  Use
	assurances
	spec     deepest
	seen     []given
	skip     int // index of the last word that an option took beyond its own value
	operands []value
	flags    Flags              // of operands, set by options
	dashes   int                // index in args of "--"; 0 when there is none
	known    map[string]*option // what option has found in knows
	knows    *Spec
	prefixes map[string][]*option
	reading  bool // operands are being read, so flags count
	changes  bool // something changes that has no name here: a branch, a setting
	built    bool // what is sent is made at run time
	here     bool // what is fetched is written here under its own name
	last     bool // an option ended the options
	plain    bool // the pattern without conditions was chosen
}

// Assurances are what takes something back, or keeps it from being taken back.
type assurances struct {
	dry   bool // an option says that nothing is done
	wet   bool // something could take that back
	info  bool // --help or --version: nothing is done
	shows bool // something may print the keys that it works with
}

// A deepest is the deepest sub-command, and where it stands in args; 0 for the program itself.
type deepest struct {
	*Spec
	at int
}

// has reports whether an option with this spelling was given.
func (m *matcher) has(name string) bool {
	return slices.ContainsFunc(m.seen, func(g given) bool { return g.option.has(name) })
}
