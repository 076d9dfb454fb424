package eval

import (
	"github.com/tada-run/tada-run/shellparse/command"
	"mvdan.cc/sh/v3/syntax"
)

// The floors of the evaluation, from the ground up. Each is a type that holds the one below it,
// so that its methods can call down; the compiler lets none call up. What has to go up, since
// shell text holds itself, goes through an interpreter.

// Follows reports whether a rare part of the shell, or a filter, is followed. Tests replace it, to
// measure what each earns: make ablate.
var Follows = func(part string) bool { return true }

// settings are what is known of the shell from outside, and the options that some run has turned
// on: from then on they may hold in any run.
type settings struct {
	o    Options
	dash bool // a POSIX text is read as dash reads it, because bash is tried as well
	on   turnedOn
}

// turnedOn are options by the names that bash has for them.
type turnedOn struct {
	noglob      bool
	nullglob    bool // what looks like a pattern and matches nothing may be left out
	extglob     bool // a value may hold a pattern with a list in parentheses
	nocaseglob  bool
	nocasematch bool
	posix       bool // what is in front of a special builtin stays
}

// A report is what has been found so far, and where in the text the evaluation is.
type report struct {
	settings
	out   *Script
	src   string                 // the text that the positions of the tree count in
	fixed *Span                  // the span of everything, in nested text
	via   []string               // the programs that start what is evaluated
	cmd   int                    // the command that is being evaluated; -1 outside one
	seen  map[effectKey]struct{} // nil while the effects are few
	said  map[Opaque]struct{}
	full  bool // a limit has ended the evaluation
}

// The environment changes and reads states: names and their values, the directory, the files
// that the text has written. POSIX calls all of that the shell execution environment.
type environment struct {
	report
	version  int       // of the state that was changed last
	names    int       // that were given values
	outcomes []outcome // of the substitution that was evaluated last
	doubled  bool      // another descriptor has been made a copy of standard output
	linked   bool      // another name may have been given to a descriptor
	leaks    int       // how often something may have been printed there, see outputTo
}

// An outcome is one of two texts that a substitution may print, and its status then.
type outcome struct {
	text   string
	status status
}

// Texts are shell text inside the text: the operands of eval and sh -c, traps, subscripts.
type texts struct {
	environment
	interp interpreter // what is above: text holds commands
	nested int         // shells inside shells
	bytes  int         // of all their texts
}

// Words expands words: quotes, tildes, braces, splitting. What an expansion holds is asked from
// above.
type words struct {
	texts
}

// Parameters expands parameters and arithmetic, and assigns.
type parameters struct {
	words
	letting bool // the arithmetic is an argument of let
	level   int  // of arithmetic that evaluates values

	// of one expression: how many values it has evaluated, and which texts and names were read
	asked       int
	read, named map[string]bool
}

// Redirections opens files for commands, and substitutes commands by their output.
type redirections struct {
	parameters
}

// Builtins are the commands of the shell that start nothing.
type builtins struct {
	redirections
}

// Commands evaluates simple commands: functions, builtins and programs, with all that programs
// start in turn.
type commands struct {
	builtins
	specs       []entry
	wordCount   int  // of all commands
	redirects   bool // the command that comes has redirections
	temporaries int  // names that mktemp was asked for
}

// Compound evaluates compound commands: lists, subshells, conditions, loops.
type compound struct {
	commands
	visited map[*syntax.Stmt]struct{}
	inCond  int // of conditions, in which errexit does nothing
}

// Flow evaluates statements one after the other, in every state in which each can be reached.
// It is the top floor.
type flow struct {
	compound
	steps int // statements that were evaluated
	deep  int // of statements inside statements
}

// An entry is what the command table says of a name; nil when it does not know it.
type entry struct {
	name string
	spec *command.Spec
}

// An interpreter is the whole evaluation, as its floors ask it for what is above them. Text
// of a shell holds itself at any depth, so these calls go back up, and no others do.
type interpreter interface {
	// A word holds expansions, and each of them holds words or commands.
	parameter(e *expander, p *syntax.ParamExp, quoted bool)
	arithmetic(s *state, x syntax.ArithmExpr) value
	substitution(s *state, c *syntax.CmdSubst) value
	process(s *state, p *syntax.ProcSubst) part

	// A command starts commands: by name, as text in a shell, or as the body of a function.
	invoke(s *state, c *call) worlds
	program(s *state, f *syntax.File) worlds

	// A compound command holds statements.
	stmt(s *state, st *syntax.Stmt) worlds
	stmts(ws worlds, list []*syntax.Stmt) worlds
}

// An expander turns the parts of one word into fields, as the shell would: it carries the
// field that is being built and those that are done.
type expander struct {
	reading
	w     *words
	s     *state
	done  []value
	cur   value
	some  bool // cur is a field even when it is empty, because there were quotes in it
	ifs   string
	loose bool // IFS is not known
	blank bool // the last expansion ended a field with blanks alone; see splitText

	// A list may end in an element that is none. What follows it then belongs to the last
	// that is certain.
	sure, last int // of done: that one, and the one that may be none; last is 0 without
}

// A reading is how a word is expanded where it is; the zero value makes one field of it.
type reading struct {
	pattern bool // what unquoted expansions give is a pattern
	split   bool // unquoted expansions are cut at IFS
	braced  bool // the word came out of braces, so it does not count as an assignment
	listing bool // a list is in the word, beside which bash drops a delimiter behind blanks
}
