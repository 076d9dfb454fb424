package eval

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// echoOptions are the letters that echo takes for options: dash knows only -n.
func (w *settings) echoOptions() string {
	if w.o.Dialect == POSIX {
		return "n"
	}
	return "neE"
}

// isSnapshot reports whether a word names a file in which an agent's program keeps the functions,
// aliases and PATH of the user's own shell, to source it before each command. Nothing else writes
// there, and nothing but these is in them: what was known stays known.
func (w *settings) isSnapshot(word Word) bool {
	if !word.Static || !strings.HasSuffix(word.Text, ".sh") {
		return false
	}
	dir := path.Dir(word.Text)
	return slices.Contains(w.o.Snapshots, dir) || w.isInHome(dir, "snapshots")
}

// survivors are the names that stay known when a file is sourced. Before an agent's program saves
// the user's shell it sources that shell's start-up file, which no command writes unasked and which
// does not know of the variable with the name of the new file.
func (w *settings) survivors(s *state, file Word) *scope {
	if !file.Static || !w.isInHome(file.Text, "saves") {
		return nil
	}
	names := map[string]variable{}
	for f := range agents.Of("saver") {
		name := strings.TrimSuffix(f.Text(), "=")
		if v, ok := s.env.get(name); ok {
			names[name] = v
		}
	}
	return &scope{names: names}
}

// isInHome reports whether a path is one of the names in the home that agents' programs have for
// this.
func (w *settings) isInHome(name, kind string) bool {
	home, known := w.o.Vars["HOME"]
	if !known {
		home = w.o.Home
	}
	if !strings.HasPrefix(home, "/") {
		return false
	}
	for f := range agents.Of(kind) {
		if name == strings.TrimRight(home, "/")+strings.TrimPrefix(f.Text(), "~") {
			return true
		}
	}
	return false
}

// caller is the name of the account in the environment; "" without one.
func (w *settings) caller() string {
	if name := w.o.Vars["LOGNAME"]; name != "" {
		return name
	}
	return w.o.Vars["USER"]
}

// lacks reports whether a builtin of bash is none in the shell of the dialect, and maybe
// whether that depends on which shell it is.
func (w *settings) lacks(name string) (lacks, maybe bool) {
	var list string
	switch w.o.Dialect {
	case POSIX:
		list = " declare typeset let mapfile readarray shopt compgen complete compopt enable" +
			" bind help caller pushd popd dirs logout suspend disown history source builtin local "
		return strings.Contains(list, " "+name+" "), !w.dash
	case Zsh:
		list = " mapfile readarray shopt compgen complete compopt help caller "
	}
	return strings.Contains(list, " "+name+" "), false
}

// doubtfulPrefix reports whether the assignments in front of a builtin stay or do not, by
// what else is declared: in bash x=1 export x sets x.
func (w *settings) doubtfulPrefix(name string) bool {
	switch name {
	case "export", "readonly", "declare", "typeset", "local":
		return w.o.Dialect == Bash
	case "unset":
		return w.on.posix || w.o.Dialect == POSIX
	}
	return w.on.posix && isSpecial(name)
}

// keepsPrefix reports whether the assignments in front of a builtin stay, as POSIX wants it
// of the special ones.
func (w *settings) keepsPrefix(name string) bool {
	return w.o.Dialect == POSIX && isSpecial(name)
}

// home is where the person's files are when nothing in the text says so.
func (w *settings) home() value {
	if w.o.Home != "" {
		return known(w.o.Home)
	}
	return unknown("the home directory is not known", Unknown)
}

// joins reports whether it is certain how a list becomes one field where IFS is another than
// usual: of bash 5.2, $@ with blanks and $* with IFS. A slice, the keys and elements that it
// changes become "1 2" in some places and "1:2" in others.
func (w *settings) joins(p *syntax.ParamExp) bool {
	return w.o.Dialect == Bash && !p.Excl && p.Exp == nil && p.Repl == nil && p.Slice == nil
}
