package eval

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
	"github.com/tada-run/tada-run/shellparse/wrapper"
)

// A Script is everything that the text of a command line tells about its effects. What the text
// does not decide is in Opaque; nothing is left out silently.
type Script struct {
	Text      string    // as it was given
	Canonical string    // the text to execute: the print of the tree that was judged; "" with Err
	Dialect   Dialect   // the shell that must execute Canonical
	Plain     bool      // one simple command of literal words: it needs no shell at all
	Argv      []string  // the words of a Plain script
	Commands  []Command // every simple command that would start, wrappers before what they wrap
	Effects   []Effect  // every name that would be touched, in the order of the text
	Hazards   []Hazard  // what is dangerous whatever the names are, from the command table
	Codes     []Code    // programs in other languages, in the text or given to an interpreter
	Opaque    []Opaque  // what could not be known, and why
	Written   []Written // files that the text gives known content
	Marks     []Mark    // invisible, look-alike and control characters
	Wrapped   *Wrapped  // what an agent's program put around its command; nil for any other text
	Err       *ParseError
}

// Wrapped is the text of an agent's program, taken apart.
type Wrapped = wrapper.Layer

// Options are the facts of the shell that will run the text. They are parameters because
// this package asks neither the disk nor the environment nor the clock.
type Options struct {
	Dialect Dialect
	Dir     string // the absolute directory it starts in; "" when not known
	Home    string // what a bare ~ means when Vars has no HOME
	Name    string // $0
	Args    []string

	// Vars are the variables it starts with. When they are known, one that is missing is unset;
	// nil means that they are not known.
	Vars map[string]string

	// Unset, if not nil, reports whether it starts without a variable, where Vars are not known.
	Unset func(name string) bool

	// Later is set if the shell ran before: a variable that Vars lacks may have any value.
	Later bool

	// Snapshots are folders, beside those in the home, in which agents' programs keep what they
	// saved of the user's shell, and into which no command writes unasked.
	Snapshots []string

	// Programs are a user's own entries in front of the built-in command table.
	Programs command.Table
}

// A Word is one word after the expansions that the text alone decides.
type Word struct {
	Text   string // the value if Static, the pattern if Glob, else what is known, for display
	Static bool   // Text is exactly the value
	Glob   bool   // Text is a shell pattern (syntax of mvdan.cc/sh/v3/pattern), not yet expanded
	Why    string // the reason when neither Static nor Glob
}

// A Command is one simple command that would start.
type Command struct {
	Name     string   // the program as the shell would look it up; "" when not known
	Args     []Word   // argv; Args[0] is the program word
	Assign   []Assign // NAME=value before it, or from env(1)
	Via      []string // the wrappers around it, outermost first: "sudo", "xargs"
	Dir      string   // the directory it would run in; "" when not known
	Remote   bool     // it runs on another machine or in a container, where names mean other files
	Builtin  bool     // the shell itself, or a function of the script, has this name
	Known    bool     // the command table has an entry for it
	ReadOnly bool     // the table says that this use of it changes nothing
	// A reader sees it: its name stands in the text as it is, and not in text that a command or
	// another program evaluates.
	Plain bool
	// Changed is set if the text gave it another environment than the shell started with.
	Changed bool
	Span    Span
}

func (c Command) equal(d Command) bool {
	return c.Span == d.Span && c.Name == d.Name && c.Dir == d.Dir && c.Changed == d.Changed &&
		slices.Equal(c.Args, d.Args) &&
		slices.Equal(c.Via, d.Via) && slices.Equal(c.Assign, d.Assign)
}

// An Assign is a variable given to one command.
type Assign struct {
	Name  string
	Value Word
}

// A Name is a file as the text spells it, after the expansions that the text alone decides.
type Name struct {
	Text   string // absolute, or relative to Dir; a pattern if Glob, else the known prefix
	Static bool   // Text is the whole name
	Glob   bool
	Dir    string // the absolute directory of a relative Text; "" when not known
	One    bool   // with Glob: the stars are numbers made at run time ($$), so it is one name
	User   string // when not "": Text starts from this account's home directory (~user)

	// Of is set if Text is a pattern derived from a name that another pattern has matched, as in
	// for f in *.txt; do mv "$f" "${f%.txt}.md"; done. It is that other pattern, absolute. Both
	// contain one star and nothing else that is special, and the star matches the same characters
	// in both.
	Of string

	loose string // of a name that is not known: a pattern that matches some of what it may be
}

// An Effect is one name that would be touched, and in which way.
type Effect struct {
	Right   command.Right
	Flags   command.Flags
	Name    Name      // for every Right but Net
	Base    string    // with Below: a pattern for the last component; "" for any
	Net     *Endpoint // for Net only
	Span    Span
	Command int // the index in Script.Commands of its command; -1 for a redirection of none
}

// An effectKey is what two effects must share to be the same.
type effectKey struct {
	Effect
	scheme, host string
	port         int
}

// An Endpoint is a place in the network.
type Endpoint struct {
	Scheme string // "https", "ssh", "git", ...; "" when the text does not say
	Host   string // "" when it is not known from the text
	Port   int    // 0 when the text does not say
	Static bool   // Host is exactly what will be contacted
	Upload bool   // bytes of this machine go out with it

	// Repository is HOST/PATH of a git remote; "" where the text names the address itself. The
	// settings of git tell it, not the text.
	Repository string
}

// A Hazard is something dangerous that is not the name of a file: an irreversible option,
// a privilege change, a publication.
type Hazard struct {
	Rule    string // stable id: "git.force-push"
	Risk    int    // 1 to 3
	Message string // one plain sentence, lower case
	Span    Span
	Command int
}

// A Code is a program in another language, or shell text that only exists at run time.
type Code struct {
	Lang   string // "python", "javascript", "perl", "ruby", "php", "awk", "sed", "sql", "sh", ...
	Text   string // the program, when Source is Literal, or Decoded and known
	Source Source
	Opaque bool // Literal only: the program can do more than the effects say
	// Literal only: names in the text, where the program writes a file with a name that is not
	// known, each on a line; "." is among them
	May     string
	Span    Span
	Command int

	assigned string // see Assigned
}

// Assigned returns the variables that the text has assigned before it has the shell itself read a
// file: no other differs there from those that the shell started with. It reports false for any
// other code, and where they are not known.
func (c *Code) Assigned() (names []string, known bool) {
	return strings.Fields(c.assigned), c.assigned != ""
}

// Source says where a Code comes from. The zero value is the worst one.
type Source int

// The sources of code.
const (
	Unknown Source = iota // it is not known
	Network               // what was just downloaded
	Decoded               // what was just decoded: base64, xxd, gunzip, ...
	Stdin                 // the caller's own standard input
	File                  // a file that exists already; it is among the effects
	Literal               // Text
)

// Written is a file that the text writes in one piece, with its whole content. A later command of
// the same text may find that content there, whatever was there before.
type Written struct {
	Name string // absolute
	Text string
}

// An Opaque is a piece of the script whose meaning the text does not decide.
type Opaque struct {
	Place   Place
	Text    string // the source text of the piece
	Why     string // "value of $x is not known", "syntax error: ..."
	Span    Span
	Command int
}

// Place says what the unknown piece decides. The zero value is the worst one.
type Place int

// The places of an unknown piece, worst first.
const (
	InText    Place = iota // the whole script: it could not be parsed
	InProgram              // which program starts
	InCode                 // what a shell or an interpreter executes
	InDelete               // what is deleted or overwritten
	InWrite                // what is written or created
	InHost                 // which host is contacted, or what is sent there
	InOption               // it could be an option of the command
	InRead                 // what is read
	InData                 // only data
)
