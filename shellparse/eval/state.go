package eval

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// A state is the shell at one moment of one possible run: what a later command's meaning
// depends on. Runs differ after a test or a cd that may fail, so a short list of states is
// followed side by side. Its groups are values: a fork copies them all.
type state struct {
	bindings
	location
	arguments
	streams
	switches
	control

	remote bool // names here are those of another machine
	guess  bool // what runs here is only a guess
	filled bool // the environment has secrets that a program has put there
}

// bindings are the names of the shell and what is known of them.
type bindings struct {
	env    *scope
	own    bool                // env may be written; false after a fork
	ver    int                 // equal versions are equal states
	locals map[string]variable // what local shadows, in a function
	bare   bool                // the shell was started without an environment
	open   bool                // unknown text ran here: any name may have any value
	later  bool                // it runs at an unknown moment: a name that is not set may be
	attrs  bool                // unknown text may have declared any name with an attribute
}

// location is the working directory and those that were it before; "" is one that is not known.
type location struct {
	dir     string
	near    string   // an absolute pattern that the directory fits; only where dir is not known
	old     string   // OLDPWD
	dirs    []string // of pushd
	movedBy string   // a file that was executed here and may have changed the directory
}

// arguments are the positional parameters and $0, of this shell and of the one it starts.
type arguments struct {
	args     []value
	argsOpen bool    // the positional parameters are not known
	passed   []value // those of the shell that comes, when passing: sh -c CODE NAME ARG ...
	passing  bool
	zero     value // $0 where sh -c was given one; nil where it is that of the text
	called   value // that of the shell that comes
	script   bool  // $0 is the file that this shell executes
	scripted bool  // called is the file that the shell that comes executes
}

// streams are the open files and what the text has written into files.
type streams struct {
	out     *stream
	in      *stream
	capture bool         // out is read by something
	fds     []descriptor // that a redirection has opened to known bytes
	keepIO  bool         // exec has made the redirections those of the shell
	files   []written
}

// switches are the options of the shell.
type switches struct {
	noglob    bool
	dotglob   bool // patterns match a leading dot, or in another way more than they say
	errexit   bool
	nounset   bool
	inherit   bool // substitutions have errexit too
	allexport bool
	alias     bool // aliases are expanded
}

// control is what decides which statement comes next.
type control struct {
	status  status
	jump    jump
	errs    jump // where an error in the words expanded last would jump; onward for none
	levels  int  // of loops that a break or continue still leaves
	loops   int  // around this statement
	depth   int  // of function calls
	calling []string
	traps   []string
	keeps   int // values that are in traps
}

type status uint8

const (
	either status = iota
	success
	failure
)

type jump uint8

const (
	onward jump = iota
	breaking
	continuing
	returning
	leaving // the line, after an error in an expansion
	exiting
)

// A written file is one that the script itself has made.
type written struct {
	name   string // absolute, or relative to a directory that is not known
	flow   stream
	target string // of a link
	tree   bool   // everything below name came with it
}

// A descriptor is an open file other than standard input and output.
type descriptor struct {
	n    string
	flow *stream
}

type worlds []*state

// oneOutput is what the worlds have written, as far as it is the same in all.
func oneOutput(ws worlds) *stream {
	if len(ws) == 0 {
		return nil
	}
	first := ws[0].out
	for _, s := range ws[1:] {
		if !first.equal(s.out) {
			from := worse(first.origin(), s.out.origin())
			if from == Literal {
				from = Unknown
			}
			first = &stream{from: from, why: "the output depends on what happens before"}
		}
	}
	return first
}

// input is what a command reads by default: at least the caller's own input.
func (s *state) input() *stream {
	if s.in == nil {
		return &stream{from: Stdin, why: "the standard input of the caller"}
	}
	return s.in
}

// leaveLoop is where a break ends, unless it was for a loop further out.
func (s *state) leaveLoop() {
	switch {
	case s.jump != breaking && s.jump != continuing:
	case s.levels > 0 && s.loops > 0:
		s.levels--
	default:
		s.jump, s.levels = onward, 0
	}
}

// linked returns where a name leads through the links that the script has made, in any of
// its components.
func (s *state) linked(key string) (to string, ok bool) {
	for range 8 {
		moved := false
		for i := len(s.files) - 1; i >= 0 && !moved; i-- {
			f := &s.files[i]
			if f.target == "" || key == "" {
				continue
			}
			if rest, under := strings.CutPrefix(key, f.name); under &&
				(rest == "" || rest[0] == '/') {
				key, moved, ok = path.Clean(f.target+rest), true, true
			}
		}
		if !moved {
			break
		}
	}
	return key, ok
}

// descriptor returns the bytes behind /dev/fd/N, where a redirection has said what they are.
func (s *state) descriptor(v value) *stream {
	text, ok := v.text()
	n, found := strings.CutPrefix(text, "/dev/fd/")
	if !found {
		n, found = strings.CutPrefix(text, "/proc/self/fd/")
	}
	if !ok || !found {
		return nil
	}
	if n == "0" {
		return s.input()
	}
	return s.behindNumber(n)
}

func (s *state) behindNumber(n string) *stream {
	for _, d := range slices.Backward(s.fds) {
		if d.n == n {
			return d.flow
		}
	}
	return nil
}

// fork returns a copy that can change without the original.
func (s *state) fork() *state {
	s.own = false
	c := *s
	return &c
}

// give makes words the positional parameters.
func (s *state) give(args []value) {
	s.args, s.argsOpen = matches(args), certain(args) < len(args)
}

// positional returns $n for n > 0, and false when it is certainly not set.
func (s *state) positional(n int) (value, bool) {
	switch {
	case n <= certain(s.args):
		return s.args[n-1], true
	case s.argsOpen:
		return unknown("$"+strconv.Itoa(n)+" is not known", Unknown), true
	}
	return nil, false
}

// all are "$@": if their number is open, the known ones represent all.
func (s *state) all() []value {
	if s.argsOpen && len(s.args) == 0 {
		return []value{unknown("the arguments of the script are not known", Unknown).maybeMany()}
	}
	return s.args
}

// maxWorlds bounds how many possible runs are followed side by side. Beyond it they are
// joined into one whose differing names are not known.
const maxWorlds = 16

func (f written) equal(g written) bool {
	return f.name == g.name && f.tree == g.tree && f.target == g.target &&
		f.flow.from == g.flow.from && slices.Equal(f.flow.val, g.flow.val)
}
