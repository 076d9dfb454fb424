package eval

import (
	"path"
	"strings"
)

// name is what a value names in the directory of s. In one that fits a pattern, it is a pattern
// too.
func (w *environment) name(s *state, v value) Name {
	n := w.nameIn(v, s.dir)
	if s.dir != "" || s.near == "" || n.User != "" || strings.HasPrefix(n.Text, "/") ||
		!n.Static && !n.Glob || strings.Contains(n.Text, "..") {
		return n
	}
	n.Text, n.Static, n.Glob, n.One = s.near+"/"+v.glob(), false, true, false
	return n
}

// dirPattern is the absolute pattern that a directory fits which a value names; "" where that is no
// pattern.
func (w *environment) dirPattern(s *state, v value) string {
	name := w.name(s, v)
	if !name.Glob || name.User != "" || strings.Contains(name.Text, "..") {
		return ""
	}
	return strings.TrimRight(join(name.Dir, name.Text), "/")
}

func (w *environment) nameIn(v value, dir string) Name {
	n := Name{Dir: dir}
	if len(v) > 0 && v[0].kind == account {
		n.User, n.Dir = v[0].text, ""
		v = v[1:]
	}
	word := v.word()
	n.Text, n.Static, n.Glob = word.Text, word.Static, word.Glob
	if text, ok := v.fresh(); ok {
		n.Text, n.Static, n.Glob = text, true, false
	}
	if n.Glob && n.User == "" {
		n.Of = origin(v, n)
	}
	if !n.Static && !n.Glob && n.User == "" {
		n.loose = v.loose()
	}
	n.One = n.Glob && v.oneName()
	if n.User != "" {
		n.Text = strings.TrimLeft(n.Text, "/")
	}
	if strings.HasPrefix(n.Text, "/") {
		n.Dir = ""
	}
	return n
}

// origin is the pattern of whose matches a name is made, "" when the name is that pattern itself.
func origin(v value, n Name) (of string) {
	for _, p := range v {
		if p.of != "" {
			of = p.of
		}
	}
	if starOf(n.Text) == "" || join(n.Dir, n.Text) == of {
		return ""
	}
	return of
}

// key is a name as the table of written files spells it.
func (n Name) key() string {
	if !n.Static || n.User != "" {
		return ""
	}
	if strings.HasPrefix(n.Text, "/") {
		return path.Clean(n.Text)
	}
	if n.Dir == "" {
		return "./" + path.Clean(n.Text)
	}
	return path.Join(n.Dir, n.Text)
}

// join is the directory that a cd to the text would lead to, "" when that is not known.
func join(dir, text string) string {
	switch {
	case strings.HasPrefix(text, "/"):
		return path.Clean(text)
	case dir == "":
		return ""
	}
	return path.Join(dir, text)
}

// starOf returns a pattern that has one star and nothing else that is special, or "".
func starOf(text string) string {
	if strings.Count(text, "*") != 1 || strings.ContainsAny(text, `?[]\`) {
		return ""
	}
	return text
}
