package eval

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// Builtins that change the directory.

// The builtins in this file change the state of the shell.

// cd returns two worlds: the one in which it has worked, and the one in which it has not.
func (w *builtins) cd(s *state, c *call) worlds {
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
	if name, made := v.fresh(); made && !w.cdpath(s, name) {
		dir = join(s.dir, name)
	} else if ok && !v.word().Glob && !w.cdpath(s, text) {
		dir = join(s.dir, text)
		if strings.Contains(letters, "P") && strings.Contains(text, "..") {
			dir = ""
		}
	}
	if i < len(c.args) && !ok {
		w.opaque(s, InRead, v.word().Why, c.at(i))
	}
	w.reaches(s, Effect{Right: command.Read, Flags: command.List, Name: w.name(s, v),
		Span: c.at(min(i, len(c.args)-1))})
	failed := s.fork()
	failed.status = failure
	s.status = success
	near := w.dirPattern(s, v)
	w.moves(s, dir)
	s.near = near
	if strings.HasPrefix(text, "/") {
		s.movedBy = ""
	}
	w.touched(s)
	return worlds{s, failed}
}

// moves makes dir the working directory, "" when it is not known, and says so in PWD and
// OLDPWD.
func (w *builtins) moves(s *state, dir string) {
	was, _ := w.lookup(s, "PWD")
	s.old, _ = was.val.text()
	s.dir, s.near = dir, ""
	for _, name := range []string{"PWD", "OLDPWD"} {
		if v, ok := s.env.get(name); ok { // it was assigned
			v.val, v.set = unknown("$"+name+" was assigned", Unknown), true
			if now, _ := w.lookup(&state{location: s.location}, name); now.val.whole() {
				v.val = now.val
			}
			w.put(s, name, v)
		}
	}
}

// maxDirs bounds the entries of CDPATH that are followed; behind it the directory is not known.
const maxDirs = 8

// cdDirs are the directories of which cd takes one that only the disk knows: those that CDPATH
// makes of a name, and the home of an account. The environment may have the wrong name for the
// caller, so "", a directory that is not known, goes with the home. It is nil where the text
// decides, or nothing is known.
func (w *builtins) cdDirs(s *state, v value) []string {
	if home, _ := w.home().text(); len(v) > 0 && v[0].kind == account && home != "" &&
		v[0].text == w.caller() && v[1:].word().Static {
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

// cdAny is a cd that may end in any of some directories, or nowhere.
func (w *builtins) cdAny(s *state, v value, dirs []string, span Span) worlds {
	failed := s.fork()
	failed.status = failure
	ws := worlds{failed}
	for _, dir := range dirs {
		at := s.fork()
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
func (w *builtins) cdpath(s *state, text string) bool {
	if text == "." || text == ".." || strings.HasPrefix(text, "/") ||
		strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") {
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
func (w *builtins) stack(s *state, c *call) worlds {
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
	failed := s.fork()
	failed.status = failure
	was := s.dir
	s.status = success
	switch {
	case name == "popd" && len(s.dirs) > 0 && i >= len(c.args):
		s.dir, s.dirs = s.dirs[len(s.dirs)-1], s.dirs[:len(s.dirs)-1]
	case name == "pushd" && i < len(c.args) && c.words[i].Static &&
		!strings.HasPrefix(c.words[i].Text, "+") && !w.cdpath(s, c.words[i].Text):
		w.effect(s, Effect{Right: command.Read, Flags: command.List, Name: w.name(s, c.args[i]),
			Span: c.at(i)})
		s.dirs = append(slices.Clip(s.dirs), s.dir)
		s.dir = join(s.dir, c.words[i].Text)
	case name == "pushd" && i >= len(c.args) && len(s.dirs) > 0:
		top := len(s.dirs) - 1
		dirs := slices.Clone(s.dirs)
		s.dir, dirs[top] = dirs[top], s.dir
		s.dirs = dirs
	default:
		if name == "pushd" && i < len(c.args) && !strings.HasPrefix(c.words[i].Text, "+") {
			w.effect(s, Effect{Right: command.Read, Flags: command.List, Name: w.name(s, c.args[i]),
				Span: c.at(i)})
		}
		s.dir, s.dirs = "", nil
	}
	dir := s.dir
	s.dir = was
	w.moves(s, dir)
	w.touched(s)
	return worlds{s, failed}
}
