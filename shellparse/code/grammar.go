package code

import "strings"

// Rules say what calls do with their arguments, in a small language that doc.go explains: a line
// each, the name and the clauses, sorted by name. A name that starts with a dot is a method of any
// object, and one that ends with ".*" means everything in the module.
type rules string

// from returns the rules from the first on whose name is not below the given one.
func (t rules) from(name string) rules {
	low, high := 0, len(t)
	for low < high {
		middle := (low + high) / 2
		start := low + strings.LastIndexByte(string(t[low:middle]), '\n') + 1
		line, _, _ := strings.Cut(string(t[start:]), "\n")
		if n, _, _ := strings.Cut(line, " "); n < name {
			low = start + len(line) + 1
		} else {
			high = start
		}
	}
	return t[low:]
}

// find returns what the table says about a name.
func (g *grammar) find(name string) (string, bool) {
	line, _, _ := strings.Cut(string(g.calls.from(name)), "\n")
	found, does, _ := strings.Cut(line, " ")
	return does, found == name && name != ""
}

// lookup also finds the rule for all of a module.
func (g *grammar) lookup(name string) (string, bool) {
	if does, ok := g.find(name); ok {
		return does, true
	}
	for i := len(name) - 1; i > 0; i-- {
		if name[i] == '.' {
			if does, ok := g.find(name[:i] + ".*"); ok {
				return does, true
			}
		}
	}
	return "", false
}

// harmless reports whether a rule only computes a value.
func harmless(does string) bool { return does == "" || strings.HasPrefix(does, "=") }

// A grammar is what the reader must know of one language whose programs are calls with
// literal arguments. It is a table; the reader is the same for all.
type grammar struct {
	name     string
	comments []string // to the end of the line
	// begin and end of other comments; "=x" begins one only at the start of a line
	blocks       [][2]string
	newlines     bool   // a newline outside brackets ends a statement
	continuation bool   // a backslash before a newline joins lines
	nameBytes    string // bytes of names besides letters, digits and _
	literal      func(*lexer) bool
	concat       string // the operator that joins two strings
	adjacent     bool   // two literals side by side are one
	equals       bool   // f(name = value)
	colons       bool   // f(name: value)
	arrows       bool   // (a, b) => c
	rooted       bool   // joining an absolute name forgets what was before
	bare         bool   // f x, y without parentheses
	symbolic     bool   // a string can be called
	braces       bool   // a brace opens a block of statements
	calls        rules
	reflects     []string
}

// A frame is either code, which ends with a bracket, or the inside of a literal.
type frame struct {
	code    bool
	quoting quoting
	depth   int  // of nested delimiters of a literal, or of brackets in a hole
	opened  int  // index of the open or hole token
	until   byte // the bracket that ends a hole
	format  bool // a colon ends a hole too: a format specification follows
}

// A lexer turns a program text into tokens.
type lexer struct {
	g        *grammar
	src      string
	pos, end int
	toks     []token
	frames   []frame
	brackets []int // indices of unmatched opening tokens
	opaque   bool  // something could be read in two ways
	spaced   bool
	fresh    bool
}
