package eval

import (
	"slices"
	"strings"
	"unicode/utf8"

	shsyntax "github.com/tada-run/tada-run/shellparse/syntax"
)

// mayFail notes that an expansion can be an error: arithmetic on words or by zero, ${!x} of no
// name, an assignment to a name that is read-only. bash then leaves the whole line and continues
// with the next one, and zsh leaves an eval; other shells end, as bash does for ${x?}.
func (w *environment) mayFail(s *state, how jump) { s.errs = max(s.errs, how) }

// failed is the run in which the words that have just been expanded were an error.
func (w *environment) failed(s *state) worlds {
	if s.errs == onward {
		return nil
	}
	end := s.fork()
	end.status, end.jump = failure, s.errs
	s.errs, end.errs = onward, onward
	return worlds{end}
}

// standing is what a name holds, in a form that restore takes.
func (w *environment) standing(s *state, name string) variable {
	v, ok := s.env.get(name)
	if !ok {
		v, ok = w.lookup(s, name)
		v.set = ok
	}
	return v
}

// write appends to what a state has written.
func (w *environment) write(s *state, f *stream) {
	if !s.capture || f == nil {
		return
	}
	w.touched(s)
	s.out = s.out.then(f)
}

// dumps is a builtin that prints all variables.
func (w *environment) dumps(s *state) {
	if s.filled {
		w.listedHazard("secret.print", w.here())
	}
	w.write(s, &stream{from: Unknown, name: environmentName, why: "the variables of the shell"})
}

// matchesMore reports whether a pattern could match a name that it does not match in a bash
// as it starts: .* is the parent directory as well in dash, and options and GLOBIGNORE
// change what a leading dot or a letter means.
func (w *environment) matchesMore(s *state, pattern string) bool {
	_, ignore := s.env.get("GLOBIGNORE")
	if _, inherited := w.o.Vars["GLOBIGNORE"]; s.dotglob || ignore || inherited {
		return true
	}
	if w.o.Dialect != POSIX {
		return false
	}
	for part := range strings.SplitSeq(pattern, "/") {
		if strings.ContainsAny(part, "*?[") &&
			(part[0] == '.' || part[0] == '[' && strings.Contains(part, ".")) {
			return true
		}
	}
	return false
}

// tildeHome is what a tilde means: HOME, or the passwd entry where there is none.
func (w *environment) tildeHome(s *state) value {
	v, ok := w.lookup(s, "HOME")
	switch _, own := s.env.get("HOME"); {
	case ok:
		return v.val
	case own: // it was taken away, and the entry need not say what it said
		return unknown("the home directory is not known", Unknown)
	}
	return w.home()
}

// characters reports whether the shell certainly cuts text where a reader would: outside
// ASCII that depends on the locale, and dash counts bytes in all.
func (w *environment) characters(s *state, text string) bool {
	if shsyntax.ASCII(text) {
		return true
	}
	if w.o.Dialect == POSIX || !utf8.ValidString(text) {
		return false
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v, ok := w.lookup(s, name); ok {
			if locale, known := v.val.text(); !known || locale != "" {
				return known && strings.Contains(strings.ToLower(locale), "utf")
			}
		}
	}
	return false
}

// zero is $0.
func (w *environment) zero(s *state) value {
	_, own := s.env.get("BASH_ARGV0")
	switch {
	case own:
		return unknown("$0 was assigned", Unknown)
	case s.zero != nil:
		return s.zero
	case w.o.Name == "":
		return unknown("$0 is not known", Unknown)
	}
	return known(w.o.Name)
}

// longIFS reports whether IFS is known to have a letter of several bytes.
func (w *environment) longIFS(s *state) bool {
	v, ok := s.env.get("IFS")
	text, fine := v.val.text()
	return ok && v.set && fine && !shsyntax.ASCII(text)
}

// ifs returns the characters at which unquoted expansions are cut.
func (w *environment) ifs(s *state) (chars string, loose bool) {
	if s.env == nil && !s.open {
		return " \t\n", false // no shell takes IFS from its environment
	}
	v, ok := w.lookup(s, "IFS")
	if !ok {
		return " \t\n", false
	}
	text, fine := v.val.text()
	// of an array shells take another element, or none
	fine = fine && !v.isList && !v.isHash
	if _, own := s.env.get("IFS"); s.open && !own {
		// a file that was sourced rarely leaves another one
		return " \t\n", w.o.Dialect != Bash
	}
	return text, !fine || !shsyntax.ASCII(text) // which some shells take byte by byte
}

// restore gives a name a value that it has had, or that no assignment gives it.
func (w *environment) restore(s *state, name string, v variable) {
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

// touched gives s a version of its own.
func (w *environment) touched(s *state) {
	w.version++
	s.ver = w.version
}

// lookup returns the variable of that name as the shell would see it, and false when it
// certainly has none.
func (w *environment) lookup(s *state, name string) (variable, bool) {
	if v, ok := s.env.get(name); ok {
		if v.ref {
			to, _ := v.val.text()
			if v, ok = s.env.get(to); !ok || v.ref {
				v = holding(unknown("what $"+name+" stands for is not followed", Unknown))
			}
		}
		if v.set && madeAnyway(name) {
			exported := v.exported
			v = holding(unknown("the shell makes the value of $"+name, Unknown))
			v.exported = exported
		}
		return v.first(), v.set
	}
	if why, ok := special(name); ok {
		return holding(why), true
	}
	if name == "BASH_SOURCE" && s.script && w.o.Dialect == Bash &&
		!slices.Contains(w.via, "source") {
		return holding(w.zero(s)), true
	}
	switch name {
	case "PWD":
		return orUnknown(s.dir, "the working directory is not known"), true
	case "OLDPWD":
		return orUnknown(s.old, "the previous directory is not known"), true
	}
	vars := w.o.Vars
	if s.bare { // shells give such a start a PATH, and only zsh finds HOME by itself
		vars = map[string]string{}
	}
	if !s.open && !s.later && vars != nil || s.later && inherits(vars, name) {
		if text, ok := vars[name]; ok {
			return environmental(known(text)), true
		}
		if automatic(name) {
			return holding(unknown("the shell makes the value of $"+name, Unknown)), true
		}
		if name == "HOME" && w.o.Home != "" && (!s.bare || w.o.Dialect == Zsh) {
			return holding(known(w.o.Home)), true
		}
		if name == "IFS" {
			return holding(known(" \t\n")), true
		}
		return variable{}, false
	}
	if !s.open && name == "IFS" {
		return holding(known(" \t\n")), true
	}
	if !s.open && name == "HOME" && w.o.Home != "" {
		return environmental(known(w.o.Home)), true
	}
	if !s.open && !s.later && w.o.Unset != nil && !automatic(name) && w.o.Unset(name) {
		return variable{}, false
	}
	return holding(unknown("the value of $"+name+" is not known", Unknown)), true
}

// optionVariable is a name through which a value changes the options of a shell that starts
// later, and POSIXLY_CORRECT those of the one that runs.
func (w *environment) optionVariable(s *state, name string, v variable) {
	if !v.set || name != "POSIXLY_CORRECT" && name != "BASHOPTS" && name != "SHELLOPTS" {
		return
	}
	w.on.posix = true
	w.changing(s, name, w.here())
}

// executes says which file the shell that comes executes; nil for none.
func (s *state) executes(name value) { s.called, s.scripted = name.quoted(), name != nil }
