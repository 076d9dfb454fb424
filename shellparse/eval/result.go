package eval

import (
	"slices"

	"github.com/tada-run/tada-run/shellparse/command"
	"github.com/tada-run/tada-run/shellparse/wrapper"
)

// Wrapped is the text of an agent's program, taken apart.
type Wrapped = wrapper.Layer

// A Script is everything that the text of a command line tells about what it would do.
// What the text cannot tell stands in Opaque; nothing is left out silently.
type Script struct {
	Text      string    // the text as it was given
	Canonical string    // the text to execute: the print of the very tree that was judged; "" when Err is set
	Dialect   Dialect   // the shell that must execute Canonical
	Plain     bool      // one simple command of literal words: it needs no shell at all
	Argv      []string  // the words of a Plain script; nil otherwise
	Commands  []Command // every simple command that would start, in the order of the text, wrappers before what they wrap
	Effects   []Effect  // every name that would be touched, in the order of the text
	Hazards   []Hazard  // what is dangerous whatever the names are, from the command table
	Codes     []Code    // programs in other languages that stand in the text or reach an interpreter
	Opaque    []Opaque  // what could not be known, and why
	Written   []Written // files that the text gives known content
	Marks     []Mark    // invisible, look-alike and control characters
	Wrapped   *Wrapped  // what an agent's program put around its command; nil for any other text
	Err       *ParseError
}

// Options are the facts of the shell that will run the text. They are parameters because
// this package asks neither the disk nor the environment nor the clock.
type Options struct {
	Dialect Dialect
	Dir     string            // the absolute directory it starts in; "" when not known
	Home    string            // what a bare ~ means when Vars has no HOME
	Vars    map[string]string // the variables it starts with; nil when not known, else a variable that is missing is unset
	Later   bool              // it runs in a shell that ran before: a variable that Vars does not have may have any value
	Name    string            // $0
	Args    []string          // $1, $2, ...

	// Programs are a person's own entries in front of the built-in command table; the zero
	// Table adds none.
	Programs command.Table
}

// A Word is one word after the expansions that the text alone decides.
type Word struct {
	Text   string // the value when Static; the shell pattern when Glob; otherwise what is known of it, for display
	Static bool   // Text is exactly the value
	Glob   bool   // Text is a shell pattern (syntax of mvdan.cc/sh/v3/pattern), to be expanded by the next room
	Why    string // the reason when neither Static nor Glob
}

// A Command is one simple command that would start.
type Command struct {
	Name     string   // the program as the shell would look it up; "" when the text cannot tell
	Args     []Word   // argv; Args[0] is the program word
	Assign   []Assign // NAME=value before it, or from env(1)
	Via      []string // the wrappers around it, outermost first: "sudo", "xargs"
	Dir      string   // the directory it would run in; "" when the text cannot tell
	Remote   bool     // it runs on another machine or in a container, so its names are not names here
	Builtin  bool     // the shell itself, or a function of the script, answers to this name
	Known    bool     // the command table has an entry for it
	ReadOnly bool     // the table says that this use of it changes nothing; false when not known
	Span     Span
}

// An Assign is a variable given to one command.
type Assign struct {
	Name  string
	Value Word
}

// A Name is a file as the text spells it, after the expansions that the text alone decides.
type Name struct {
	Text   string // absolute, or relative to Dir; a shell pattern when Glob; the known prefix otherwise
	Static bool   // Text is the whole name
	Glob   bool
	Dir    string // the absolute directory that a relative Text starts from; "" when the text cannot tell
	One    bool   // with Glob: every star of Text stands for the digits of a number that the run makes ($$), so it is one name
	User   string // when not "": Text starts from this account's home directory (~user)

	// Of is not "" when Text is a pattern that was made from a name which another one has matched,
	// as in for f in *.txt; do mv "$f" "${f%.txt}.md"; done. It is that other pattern, absolute.
	// Both have one star and nothing else that is special, and it stands for the same characters.
	Of string

	loose string // a pattern of which more than the text tells may match, in a name that is not known
}

// An Effect is one name that would be touched, and how.
type Effect struct {
	Right   command.Right
	Flags   command.Flags
	Name    Name      // for every Right but Net
	Base    string    // with Below: the pattern that the last component of what is meant matches; "" for any
	Net     *Endpoint // for Net only
	Span    Span
	Command int // the index in Script.Commands of the command that causes it; -1 for a redirection of none
}

// An Endpoint is a place in the network.
type Endpoint struct {
	Scheme string // "https", "ssh", "git", ...; "" when the text does not say
	Host   string // "" when the text cannot tell
	Port   int    // 0 when the text does not say
	Static bool   // Host is exactly what will be contacted
	Upload bool   // bytes of this machine go out with it
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
	Lang    string // "python", "javascript", "perl", "ruby", "php", "awk", "sed", "sql", "sh", ...
	Text    string // the program when Source is Literal, and when it is Decoded and the text tells what comes out
	Source  Source
	Opaque  bool // Literal only: the program can do more than the effects say
	Span    Span
	Command int
}

// Source says where a Code comes from. The zero value is the worst one.
type Source int

// Written is a file that the text writes in one piece, with all that it then says. A later command of the
// same text may find it there, whatever stood there before.
type Written struct {
	Name string // absolute
	Text string
}

// An Opaque is a piece of the script whose meaning the text does not tell.
type Opaque struct {
	Place   Place
	Text    string // the source text of the piece
	Why     string // "value of $x is not known", "syntax error: ..."
	Span    Span
	Command int
}

// Place says what the unknown piece decides. The zero value is the worst one.
type Place int

func (c Command) equal(d Command) bool {
	return c.Span == d.Span && c.Name == d.Name && c.Dir == d.Dir && slices.Equal(c.Args, d.Args) &&
		slices.Equal(c.Via, d.Via) && slices.Equal(c.Assign, d.Assign)
}

// The sources of code.
const (
	Unknown Source = iota // it cannot be told
	Network               // what was just downloaded
	Decoded               // what was just decoded: base64, xxd, gunzip, ...
	Stdin                 // the caller's own standard input
	File                  // a file that exists already; it stands among the effects
	Literal               // Text
)

// The places of an unknown piece, worst first.
const (
	InText    Place = iota // the whole script: it could not be parsed
	InProgram              // which program starts
	InCode                 // what a shell or an interpreter executes
	InDelete               // what is deleted or overwritten
	InWrite                // what is written or created
	InHost                 // who is contacted, or what is sent there
	InOption               // it could be an option of the command
	InRead                 // what is read
	InData                 // only data
)

// An effectKey is what two effects must share to be the same.
type effectKey struct {
	Effect
	scheme, host string
	port         int
}
