package shellparse

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
	"mvdan.cc/sh/v3/syntax"
)

// The builtins in this file change the state of the shell.

// cd returns two worlds: the one in which it has worked, and the one in which it has not.
func (w *walker) cd(s *state, c *call) worlds {
	letters, _, i := c.options("")
	dir, v := "", value(nil)
	switch {
	case i >= len(c.args):
		v = w.tildeHome(s)
	case c.words[i].Static && c.words[i].Text == "-":
		old, _ := w.lookup(s, "OLDPWD")
		v = old.val
	default:
		v = c.args[i]
	}
	text, ok := v.text()
	if ok && text == "" {
		return worlds{s}
	}
	if i < len(c.args) {
		if dirs := w.cdDirs(s, v); len(dirs) > 0 {
			return w.cdAny(s, v, dirs, c.at(i))
		}
	}
	if ok && !v.word().Glob && !w.cdpath(s, text) {
		dir = join(s.dir, text)
		if strings.Contains(letters, "P") && strings.Contains(text, "..") {
			dir = ""
		}
	}
	if i < len(c.args) && !ok {
		w.opaque(s, InRead, v.word().Why, c.at(i))
	}
	e := Effect{Right: command.Read, Flags: command.List, Name: w.name(s, v), Span: c.at(min(i, len(c.args)-1))}
	w.effect(s, e)
	w.through(s, e)
	failed := w.fork(s)
	failed.status = failure
	s.status = success
	w.moves(s, dir)
	if strings.HasPrefix(text, "/") {
		s.adrift = ""
	}
	w.touched(s)
	return worlds{s, failed}
}

// moves makes dir the working directory, "" when it is not known, and says so in PWD and
// OLDPWD.
func (w *walker) moves(s *state, dir string) {
	was, _ := w.lookup(s, "PWD")
	s.old, _ = was.val.text()
	s.dir = dir
	for _, name := range []string{"PWD", "OLDPWD"} {
		if v, ok := s.env.get(name); ok { // somebody has assigned it
			v.val, v.set = unknown("$"+name+" was assigned", Unknown), true
			if now, _ := w.lookup(&state{dir: s.dir, old: s.old}, name); now.val.whole() {
				v.val = now.val
			}
			w.put(s, name, v)
		}
	}
}

// maxDirs bounds the entries of CDPATH that are followed; behind it the directory is not known.
const maxDirs = 8

// cdDirs are the directories of which cd takes one that only the disk can tell: those that
// CDPATH makes of a name, and the home of an account. An environment that calls the caller by
// that name may be wrong, so "" stands beside the home for one that is not known. It is nil
// where the text decides, or nothing is known.
func (w *walker) cdDirs(s *state, v value) []string {
	if home, _ := w.home().text(); len(v) > 0 && v[0].kind == account && home != "" && v[0].text == w.caller() && v[1:].word().Static {
		return []string{path.Join(home, v[1:].word().Text), ""}
	}
	text, ok := v.text()
	cdpath, set := w.lookup(s, "CDPATH")
	search, fine := cdpath.val.text()
	if !ok || v.word().Glob || !set || !fine || s.dir == "" || !w.cdpath(s, text) {
		return nil
	}
	entries := strings.Split(search, ":")
	if len(entries) > maxDirs {
		return nil
	}
	var dirs []string
	for _, entry := range append(entries, "") {
		if dir := join(join(s.dir, entry), text); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// caller is the name of the account as the environment tells it; "" when it does not.
func (w *walker) caller() string {
	if name := w.o.Vars["LOGNAME"]; name != "" {
		return name
	}
	return w.o.Vars["USER"]
}

// cdAny is a cd that may end in any of some directories, or nowhere.
func (w *walker) cdAny(s *state, v value, dirs []string, span Span) worlds {
	failed := w.fork(s)
	failed.status = failure
	ws := worlds{failed}
	for _, dir := range dirs {
		at := w.fork(s)
		at.status = success
		name := w.name(s, v)
		if dir != "" {
			name = Name{Text: dir, Static: true}
		}
		w.effect(at, Effect{Right: command.Read, Flags: command.List, Name: name, Span: span})
		w.moves(at, dir)
		w.touched(at)
		ws = append(ws, at)
	}
	return w.settle(ws)
}

// cdpath reports whether CDPATH could take cd to another place than the text says.
func (w *walker) cdpath(s *state, text string) bool {
	if text == "." || text == ".." || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") {
		return false
	}
	v, ok := s.env.get("CDPATH")
	if !ok {
		path, inherited := w.o.Vars["CDPATH"]
		return inherited && path != ""
	}
	path, fine := v.val.text()
	return v.set && (!fine || path != "")
}

// stack is pushd, popd and dirs.
func (w *walker) stack(s *state, c *call) worlds {
	_, _, i := c.options("")
	name := c.words[0].Text
	if name == "dirs" {
		return worlds{s}
	}
	if name == "pushd" && i < len(c.args) {
		if dirs := w.cdDirs(s, c.args[i]); len(dirs) > 0 {
			s.dirs = append(slices.Clip(s.dirs), s.dir)
			return w.cdAny(s, c.args[i], dirs, c.at(i))
		}
	}
	failed := w.fork(s)
	failed.status = failure
	was := s.dir
	s.status = success
	switch {
	case name == "popd" && len(s.dirs) > 0 && i >= len(c.args):
		s.dir, s.dirs = s.dirs[len(s.dirs)-1], s.dirs[:len(s.dirs)-1]
	case name == "pushd" && i < len(c.args) && c.words[i].Static && !strings.HasPrefix(c.words[i].Text, "+") && !w.cdpath(s, c.words[i].Text):
		w.effect(s, Effect{Right: command.Read, Flags: command.List, Name: w.name(s, c.args[i]), Span: c.at(i)})
		s.dirs = append(slices.Clip(s.dirs), s.dir)
		s.dir = join(s.dir, c.words[i].Text)
	case name == "pushd" && i >= len(c.args) && len(s.dirs) > 0:
		top := len(s.dirs) - 1
		dirs := slices.Clone(s.dirs)
		s.dir, dirs[top] = dirs[top], s.dir
		s.dirs = dirs
	default:
		if name == "pushd" && i < len(c.args) && !strings.HasPrefix(c.words[i].Text, "+") {
			w.effect(s, Effect{Right: command.Read, Flags: command.List, Name: w.name(s, c.args[i]), Span: c.at(i)})
		}
		s.dir, s.dirs = "", nil
	}
	dir := s.dir
	s.dir = was
	w.moves(s, dir)
	w.touched(s)
	return worlds{s, failed}
}

func (w *walker) set(s *state, c *call) worlds {
	if len(c.args) == 1 {
		w.write(s, &flow{from: Unknown, name: environmentName, why: "the variables of the shell"})
	}
	for i := 1; i < len(c.args); i++ {
		text := c.words[i].Text
		if !c.words[i].Static {
			s.args, s.argsOpen = nil, true
			w.opaque(s, InOption, c.words[i].Why, c.at(i))
			w.anyOption(s)
			return worlds{s}
		}
		if text == "--" || text == "-" || len(text) > 0 && text[0] != '-' && text[0] != '+' {
			if text == "--" || text == "-" {
				i++
			}
			s.give(c.args[min(i, len(c.args)):])
			for _, v := range s.args {
				w.listed(s, v, c.span)
			}
			w.touched(s)
			return worlds{s}
		}
		if text == "" {
			continue
		}
		on := text[0] == '-'
		for _, letter := range text[1:] {
			if letter == 'o' && i+1 < len(c.args) {
				i++
				if !c.words[i].Static {
					w.opaque(s, InCode, "which option of the shell is changed is not known", c.at(i))
					w.anyOption(s)
					continue
				}
				w.setOption(s, c.words[i].Text, on, c.at(i))
				continue
			}
			if letter != 'o' { // behind which nothing stands: it lists them
				w.setLetter(s, letter, on, c.at(i))
			}
		}
	}
	return worlds{s}
}

// optionLetter is the short form of an option of set.
func optionLetter(name string) rune {
	switch name {
	case "allexport":
		return 'a'
	case "braceexpand":
		return 'B'
	case "errexit":
		return 'e'
	case "histexpand":
		return 'H'
	case "keyword":
		return 'k'
	case "nounset":
		return 'u'
	}
	return 0
}

func (w *walker) setLetter(s *state, letter rune, on bool, span Span) {
	zsh := w.o.Dialect == Zsh
	switch letter {
	case 'f':
		w.unpatterned = w.unpatterned || on
		s.noglob = on && !zsh // where the letter means NO_RCS
	case 'e':
		s.errexit = on
	case 'u':
		s.nounset = on
	case 'a':
		s.allexport = on
	case 'B':
		if !on {
			w.changing(s, "set +B", span)
		}
		return
	default:
		quiet := quietLetters
		if zsh {
			quiet = quietZsh
		}
		if on && !strings.ContainsRune(quiet, letter) {
			w.changing(s, "set -"+string(letter), span)
		}
		return
	}
	w.touched(s)
}

func (w *walker) setOption(s *state, name string, on bool, span Span) {
	if letter := optionLetter(name); letter != 0 {
		w.setLetter(s, letter, on, span)
		return
	}
	switch name {
	case "noglob":
		w.unpatterned = w.unpatterned || on
		s.noglob = on
		w.touched(s)
	case "history":
		if !on {
			w.hazard(Hazard{Rule: "shell.history", Risk: 2, Message: "changes what the shell records of its lines", Span: span})
		}
	case "posix":
		w.posix = w.posix || on
		if on {
			w.changing(s, "posix mode", span)
		}
	default:
		if on && !listedIn(quietSet, name) {
			w.changing(s, "set -o "+name, span)
		}
	}
}

func (w *walker) shopt(s *state, c *call) worlds {
	letters, _, i := c.options("")
	on := strings.Contains(letters, "s")
	if at := slices.IndexFunc(c.words, func(x Word) bool { return !x.Static }); at >= 0 {
		w.opaque(s, InCode, "which option of the shell is changed is not known", c.at(at))
		w.anyOption(s)
	}
	if !on && !strings.Contains(letters, "u") { // it only asks
		return worlds{s}
	}
	for ; i < len(c.words); i++ {
		if !c.words[i].Static {
			continue
		}
		if strings.Contains(letters, "o") {
			w.setOption(s, c.words[i].Text, on, c.at(i))
			continue
		}
		w.shoptName(s, c.words[i].Text, on, c.at(i))
	}
	w.touched(s)
	return worlds{s}
}

// hash -p makes a name mean another program.
func (w *walker) hash(s *state, c *call) worlds {
	_, values, i := c.options("p")
	program, ok := values['p']
	if !ok {
		if i < len(c.args) && !c.words[i].Static {
			w.opaque(s, InOption, c.words[i].Why, c.at(i))
		}
		return worlds{s}
	}
	for ; i < len(c.args); i++ {
		if c.words[i].Static {
			w.put(s, "hash:"+c.words[i].Text, variable{val: program, set: true})
		}
	}
	return worlds{s}
}

func (w *walker) enable(s *state, c *call) worlds {
	letters, values, i := c.options("fx")
	switch {
	case i < len(c.words) && !c.words[i].Static:
		w.opaque(s, InCode, "which builtin is loaded or turned off is not known", c.at(i))
	case strings.ContainsAny(letters, "f"):
		w.hazard(Hazard{Rule: "shell.load", Risk: 3, Message: "loads a library into the shell", Span: c.span})
		if f, ok := values['f']; ok {
			w.effect(s, Effect{Right: command.Read, Flags: command.Source, Name: w.name(s, f), Span: c.span})
		}
		w.opaque(s, InCode, "a library is loaded into the shell", c.span)
	case strings.Contains(letters, "n"):
		w.opaque(s, InProgram, "builtins are turned off, and programs of their names would run", c.span)
	}
	return worlds{s}
}

func (w *walker) declareWords(s *state, c *call) worlds {
	d := &declaration{variant: c.words[0].Text, dialect: w.o.Dialect, span: c.span}
	d.attr.exported, d.attr.fixed = d.variant == "export", d.variant == "readonly"
	for _, a := range c.args[1:] {
		w.declareWord(s, d, a)
	}
	return worlds{s}
}

func (w *walker) unset(s *state, c *call) worlds {
	letters, _, i := c.options("")
	for ; i < len(c.args); i++ {
		w.nameArg(s, c.args[i], c.at(i))
		text, ok := c.args[i].text()
		if !ok {
			w.forget(s)
			if !strings.Contains(letters, "v") {
				w.forgetFunctions(s)
			}
			continue
		}
		name, _, element := strings.Cut(text, "[")
		if strings.Contains(history, " "+name+" ") {
			w.hazard(Hazard{Rule: "shell.history", Risk: 2, Message: "changes what the shell records of its lines", Span: c.at(i)})
		}
		switch {
		case element:
			w.unsetElement(s, text)
			continue
		case strings.Contains(letters, "f"):
			w.put(s, name+"()", variable{})
			continue
		}
		if _, ok := s.env.get(name); !ok && !syntax.ValidName(name) {
			continue
		}
		if !strings.Contains(letters, "n") { // else it is the reference itself
			if name, ok = w.assignee(s, name); !ok {
				continue
			}
		}
		if outer, own := s.locals[name]; own && w.o.Dialect == Mksh { // what is assigned next is the outer one
			outer.val, outer.set = unknown("a local name was unset", Unknown), true
			s.locals = maps.Clone(s.locals)
			s.locals[name] = outer
		}
		w.put(s, name, variable{})
	}
	return worlds{s}
}

func (w *walker) let(s *state, c *call) worlds {
	for i := 1; i < len(c.args); i++ {
		text, ok := c.args[i].text()
		if !ok {
			w.evaluate(s, c.args[i], true, nil)
			continue
		}
		w.second(s, text)
		if x := w.expression(text); x != nil {
			w.number(s, x)
		}
	}
	s.errs = onward
	return worlds{s}
}

// leaves is shift, exit, return, break and continue. A jump is believed only in its plain
// form, because bash goes on after one that fails: too many words, a redirection that
// cannot be made, an assignment to a read-only name.
func (w *walker) leaves(s *state, c *call) worlds {
	n := int64(1)
	plain := c.plain && !c.redirected && len(c.args) <= 2
	if len(c.args) == 2 {
		text, ok := c.args[1].text()
		m, fine := integer(text)
		n, plain = m, plain && ok && fine && strings.Trim(text, "0123456789") == ""
	}
	switch c.words[0].Text {
	case "shift":
		w.shift(s, n, plain)
	case "exit":
		if plain {
			s.jump = exiting
		}
	case "return":
		if plain && s.depth > 0 {
			s.jump = returning
		}
	case "break":
		if plain && s.loops > 0 && n > 0 {
			s.jump, s.levels = breaking, int(min(n, 1<<10))-1
		}
	case "continue":
		if plain && s.loops > 0 && n > 0 {
			s.jump, s.levels = continuing, int(min(n, 1<<10))-1
		}
	}
	return worlds{s}
}

func (w *walker) shift(s *state, n int64, plain bool) {
	switch {
	case !plain, s.argsOpen && n > int64(certain(s.args)):
		s.args, s.argsOpen = nil, true
	case n <= int64(len(s.args)):
		s.args = s.args[n:]
	}
	w.touched(s)
}
