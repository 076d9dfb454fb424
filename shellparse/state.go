package shellparse

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A state is the shell at one moment of one possible run: what a later command's meaning
// depends on. Runs differ after a test or a cd that may fail, so the walker carries a short
// list of states, its worlds.
type state struct {
	env  *scope
	own  bool // env may be written; false after a fork
	ver  int  // equal versions are equal states
	out  *flow
	in   *flow
	dir  string // "" when not known
	old  string // OLDPWD; "" when not known
	dirs []string

	args     []value
	argsOpen bool    // the positional parameters are not known
	passed   []value // those of the shell that comes, when passing: sh -c CODE NAME ARG ...
	passing  bool
	zero     value // $0 where sh -c was given one; nil where it is that of the text
	called   value // that of the shell that comes

	files []written
	fds   []descriptor // that a redirection has opened to known bytes
	traps []string
	keeps int // values that stand in traps

	status  status
	jump    jump
	errs    jump // where an error in the words that were expanded last would jump; onward when there can be none
	levels  int  // of loops that a break or continue still leaves
	capture bool // somebody reads out

	adrift    string // a file that was executed here and may have changed the directory
	bare      bool   // it was started without an environment
	open      bool   // unknown text ran here: any name may have any value
	later     bool   // this runs at a moment that is not known: a name that is not set may be
	noglob    bool
	dotglob   bool // patterns match a leading dot, or in another way more than they say
	errexit   bool
	nounset   bool
	inherit   bool // substitutions have errexit too
	allexport bool
	attrs     bool // unknown text may have declared any name: what is assigned to it may become something else
	alias     bool // aliases are expanded
	depth     int  // of function calls
	calling   []string
	locals    map[string]variable // what local shadows, in a function
	loops     int
	funcs     int
	remote    bool // names here are those of another machine
	guess     bool // what runs here is only a guess
	keepIO    bool // exec has made the redirections those of the shell
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

// A variable is a name of the shell with its value.
type variable struct {
	val      value
	list     []value // of an indexed array; nil for a scalar
	hash     []pair  // of an associative array, in the order of assignment
	isHash   bool
	sparse   bool // an indexed array with holes, kept in hash
	isList   bool
	set      bool
	exported bool
	integer  bool
	ref      bool // declare -n
	lower    bool
	upper    bool
	fixed    bool // readonly: what assigns it fails
	odd      bool // an attribute that is not followed changes what is assigned
	fn       *syntax.FuncDecl
}

type pair struct {
	key string
	val value
}

// A written file is one that the script itself has made.
type written struct {
	name   string // absolute, or relative to a directory that is not known
	flow   flow
	target string // of a link
	tree   bool   // everything below name came with it
}

// A descriptor is an open file other than standard input and output.
type descriptor struct {
	n    string
	flow *flow
}

// A scope is a layer of names over its parent. Layers make a fork cheap: a subshell
// costs nothing until one side assigns.
type scope struct {
	parent *scope
	names  map[string]variable
	depth  int
}

// maxLayers bounds how many layers a look-up goes through before they are made one.
const maxLayers = 12

// maxNames bounds the names of one script, so that flattening layers stays cheap.
const maxNames = 1024

func (e *scope) get(name string) (variable, bool) {
	for ; e != nil; e = e.parent {
		if v, ok := e.names[name]; ok {
			return v, true
		}
	}
	return variable{}, false
}

func (e *scope) flat() map[string]variable {
	var layers []*scope
	for ; e != nil; e = e.parent {
		layers = append(layers, e)
	}
	all := map[string]variable{}
	for _, l := range slices.Backward(layers) {
		maps.Copy(all, l.names)
	}
	return all
}

// fork returns a copy that can change without the original.
func (s *state) fork() *state {
	s.own = false
	c := *s
	return &c
}

// put gives a name a value, unless the shell would refuse that.
func (w *walker) put(s *state, name string, v variable) {
	w.optionVariable(s, name, v)
	old, ok := s.env.get(name)
	if !ok && s.attrs && v.set && syntax.ValidName(name) {
		v = v.vague("$" + name + " may have an attribute that changes what is assigned")
		v.odd = true
	}
	if !old.fixed {
		w.restore(s, name, v)
		return
	}
	w.mayFail(s, leaving)
}

// restore gives a name a value that it has had, or that no assignment gives it.
func (w *walker) restore(s *state, name string, v variable) {
	w.names++
	if w.names > maxNames && !s.open {
		w.over(s, "too many assignments to follow")
		s.open = true
	}
	if !s.own {
		depth := 0
		if s.env != nil {
			depth = s.env.depth + 1
		}
		if depth > maxLayers {
			s.env = &scope{names: s.env.flat()}
		} else {
			s.env = &scope{parent: s.env, names: map[string]variable{}, depth: depth}
		}
		s.own = true
	}
	if s.allexport {
		v.exported = true
	}
	s.env.names[name] = v
	w.touched(s)
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

// all are "$@": those that are known to be there stand for all when their number is open.
func (s *state) all() []value {
	if s.argsOpen && len(s.args) == 0 {
		return []value{unknown("the arguments of the script are not known", Unknown).maybeMany()}
	}
	return s.args
}

// touched gives s a version of its own.
func (w *walker) touched(s *state) {
	w.version++
	s.ver = w.version
}

// havoc is what unknown shell text leaves behind: nothing can be said of names, of the
// directory or of functions any more.
func (w *walker) havoc(s *state) {
	w.lost(s)
	s.attrs = true
	w.anyOption(s)
}

// lost is what text leaves behind that sets names as a login shell has them.
func (w *walker) lost(s *state) {
	s.open, s.env, s.own = true, nil, false
	s.dir, s.old, s.dirs = "", "", nil
	s.args, s.argsOpen = nil, true
	w.put(s, "IFS", unknownIFS())
}

// forgetFunctions leaves it open whether a function still answers to its name.
func (w *walker) forgetFunctions(s *state) {
	for name, v := range s.env.flat() {
		if strings.HasSuffix(name, "()") && v.fn != nil {
			w.put(s, name, variable{val: unknown("it may have been unset", Unknown), set: true})
		}
	}
}

// forget is what a change of a name that is not known leaves behind: functions alone.
func (w *walker) forget(s *state) {
	s.env, s.own, s.open = onlyFunctions(s.env), false, true
	w.put(s, "IFS", unknownIFS())
}

// unknownIFS is IFS where some unknown name may have been it.
func unknownIFS() variable { return variable{val: unknown("IFS is not known", Unknown), set: true} }

// maxWorlds bounds how many possible runs are followed side by side. Beyond it they are
// joined into one whose differing names are not known.
const maxWorlds = 16

type worlds []*state

// settle drops equal states and joins the rest when they are too many.
func (w *walker) settle(ws worlds) worlds {
	if len(ws) < 2 {
		return ws
	}
	out := ws[:0:0]
next:
	for _, s := range ws {
		for _, t := range out {
			if s.ver == t.ver && s.jump == t.jump && s.levels == t.levels {
				if s.status != t.status {
					t.status = either
				}
				continue next
			}
		}
		out = append(out, s)
	}
	if len(out) > maxWorlds {
		return worlds{w.join(out)}
	}
	return out
}

// join returns one state that stands for all of ws.
func (w *walker) join(ws worlds) *state {
	if len(ws) == 1 {
		return ws[0]
	}
	j := ws[0].fork()
	names := map[string]bool{}
	for _, s := range ws {
		for e := s.env; e != nil; e = e.parent {
			for n := range e.names {
				names[n] = true
			}
		}
	}
	for _, s := range ws[1:] {
		if s.dir != j.dir {
			j.dir = ""
		}
		if s.old != j.old {
			j.old = ""
		}
		if !slices.Equal(s.dirs, j.dirs) {
			j.dirs = nil
		}
		j.open = j.open || s.open
		j.noglob = j.noglob && s.noglob
		j.errexit = j.errexit && s.errexit
		j.nounset, j.inherit = j.nounset || s.nounset, j.inherit && s.inherit
		j.alias = j.alias || s.alias
		j.dotglob = j.dotglob || s.dotglob
		j.attrs = j.attrs || s.attrs
		j.argsOpen = j.argsOpen || s.argsOpen
		if !slices.EqualFunc(s.args, j.args, slices.Equal[value]) {
			j.args, j.argsOpen = nil, true
		}
		for _, f := range s.files {
			if !slices.ContainsFunc(j.files, func(g written) bool { return g.name == f.name }) {
				j.files = append(slices.Clip(j.files), f)
			}
		}
		if s.jump == onward || s.levels != j.levels {
			j.jump = onward
		}
		if !j.in.equal(s.in) {
			j.in = &flow{from: worse(j.in.source(), s.in.source()), why: "a part of the input"}
			if j.in.from == Literal {
				j.in.from = Unknown
			}
		}
		if !j.out.equal(s.out) {
			j.out = w.oneOutput(worlds{j, s})
		}
	}
	j.status = either
	w.joinNames(j, ws, names)
	w.touched(j)
	return j
}

// joinNames makes each name that is not the same in all states one whose value is not known.
func (w *walker) joinNames(j *state, ws worlds, names map[string]bool) {
	for n := range names {
		a, ok := ws[0].env.get(n)
		same, numbers, array, hash := true, true, false, false
		for _, s := range ws {
			b, okB := s.env.get(n)
			same = same && ok == okB && a.equal(b)
			numbers = numbers && b.numeric()
			array, hash = array || b.isList || b.isHash, hash || b.isHash && !b.sparse
			a.exported, a.ref = a.exported || b.exported, a.ref || b.ref
			a.odd = a.odd || b.odd || a.integer != b.integer || a.lower != b.lower || a.upper != b.upper
		}
		if same {
			continue
		}
		a.val, a.set, a.fn, a.fixed = unknown("$"+n+" depends on what happens before", Unknown), true, nil, false
		switch {
		case array:
			a.isHash, a.sparse = hash, false
			a = a.vague(a.val.why())
		case numbers:
			a.val[0] = part{kind: number, why: a.val.why()}
		}
		w.restore(j, n, a)
	}
}

// numeric reports whether a variable certainly holds a number.
func (v variable) numeric() bool { return v.set && !v.isList && !v.isHash && v.val.numeric() }

func (v value) numeric() bool {
	if len(v) != 1 {
		return false
	}
	_, ok := integer(v[0].text)
	return v[0].kind == number || v[0].known() && ok
}

func (v variable) equal(o variable) bool {
	return v.set == o.set && v.odd == o.odd && v.fn == o.fn && v.exported == o.exported && v.fixed == o.fixed && v.ref == o.ref &&
		v.integer == o.integer && v.lower == o.lower && v.upper == o.upper &&
		v.isList == o.isList && v.isHash == o.isHash && v.sparse == o.sparse && slices.Equal(v.val, o.val) &&
		slices.EqualFunc(v.list, o.list, slices.Equal[value]) &&
		slices.EqualFunc(v.hash, o.hash, func(a, b pair) bool { return a.key == b.key && slices.Equal(a.val, b.val) })
}

// lookup returns the variable of that name as the shell would see it, and false when it
// certainly has none.
func (w *walker) lookup(s *state, name string) (variable, bool) {
	if v, ok := s.env.get(name); ok {
		if v.set && madeAnyway(name) {
			v = variable{val: unknown("the shell makes the value of $"+name, Unknown), set: true, exported: v.exported}
		}
		return v.first(), v.set
	}
	if why, ok := special(name); ok {
		return variable{val: why, set: true}, true
	}
	switch name {
	case "PWD":
		return orUnknown(s.dir, "the working directory is not known"), true
	case "OLDPWD":
		return orUnknown(s.old, "the previous directory is not known"), true
	}
	if w.o.Dialect == Bats && ofBats(name) {
		return variable{val: unknown("bats sets $"+name, Unknown), set: true, exported: true}, true
	}
	vars := w.o.Vars
	if s.bare { // shells give such a start a PATH, and only zsh finds HOME by itself
		vars = map[string]string{}
	}
	if !s.open && !s.later && vars != nil || s.later && inherits(vars, name) {
		if text, ok := vars[name]; ok {
			return variable{val: known(text), set: true, exported: true}, true
		}
		if automatic(name) {
			return variable{val: unknown("the shell makes the value of $"+name, Unknown), set: true}, true
		}
		if name == "HOME" && w.o.Home != "" && (!s.bare || w.o.Dialect == Zsh) {
			return variable{val: known(w.o.Home), set: true}, true
		}
		if name == "IFS" {
			return variable{val: known(" \t\n"), set: true}, true
		}
		return variable{}, false
	}
	if !s.open && name == "IFS" {
		return variable{val: known(" \t\n"), set: true}, true
	}
	if !s.open && name == "HOME" && w.o.Home != "" {
		return variable{val: known(w.o.Home), set: true, exported: true}, true
	}
	return variable{val: unknown("the value of $"+name+" is not known", Unknown), set: true}, true
}

// first gives an array the value that it has where one value is asked for.
func (v variable) first() variable {
	switch {
	case v.isList && len(v.list) > 0:
		v.val = v.list[0]
	case v.isHash:
		v.val, _ = v.at("0")
	}
	return v
}

func orUnknown(text, why string) variable {
	if text == "" {
		return variable{val: unknown(why, Unknown), set: true}
	}
	return variable{val: known(text), set: true}
}

func inherits(vars map[string]string, name string) bool {
	_, ok := vars[name]
	return ok
}

// special returns the values that the shell itself makes, and true for their names.
// Those that are numbers cannot hold a blank, a slash or a dash in front.
func special(name string) (value, bool) {
	switch name {
	case "RANDOM", "SRANDOM", "SECONDS", "LINENO", "BASHPID", "PPID", "UID", "EUID", "EPOCHSECONDS",
		"$", "!", "?", "OPTIND", "SHLVL", "BASH_SUBSHELL", "HISTCMD", "COLUMNS", "LINES":
		return value{{kind: number, why: "$" + name + " is made at run time"}}, true
	}
	return nil, false
}

// madeAnyway reports whether the shell gives the name its value even when somebody assigns it
// another. An assignment to some of them seeds or sets what is made, and after an unset they
// are names like any other.
func madeAnyway(name string) bool {
	switch name {
	case "RANDOM", "SRANDOM", "SECONDS", "LINENO", "BASHPID", "EPOCHSECONDS", "EPOCHREALTIME", "OPTIND", "HISTCMD", "COLUMNS", "LINES",
		"BASH_SUBSHELL", "BASH_COMMAND", "BASH_SOURCE", "BASH_LINENO", "BASH_ARGC", "BASH_ARGV", "BASH_ARGV0", "BASH_REMATCH",
		"FUNCNAME", "PIPESTATUS", "DIRSTACK", "GROUPS", "_":
		return true
	}
	return strings.HasPrefix(name, "COMP_")
}

// automatic reports whether the shell gives the name a value without anybody assigning it.
func automatic(name string) bool {
	switch name {
	case "EPOCHREALTIME", "HOSTNAME", "HOSTTYPE", "OSTYPE", "MACHTYPE", "BASH_VERSION", "-", "_", "BASH",
		"SHELLOPTS", "BASHOPTS", "BASH_COMMAND", "BASH_SOURCE", "FUNCNAME", "BASH_LINENO", "PIPESTATUS",
		"DIRSTACK", "GROUPS", "BASH_VERSINFO", "BASH_ARGV", "BASH_ARGC", "BASH_ARGV0",
		"BASH_EXECUTION_STRING", "BASH_REMATCH", "MAPFILE", "PS4", "TERM", "SHELL", "PATH", "BASH_ALIASES", "BASH_CMDS":
		return true
	}
	return strings.HasPrefix(name, "COMP_")
}
