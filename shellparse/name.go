package shellparse

import (
	"path"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// name is what a value names in the directory of s.
func (w *walker) name(s *state, v value) Name { return w.nameIn(v, s.dir) }

func (w *walker) nameIn(v value, dir string) Name {
	n := Name{Dir: dir}
	if len(v) > 0 && v[0].kind == account {
		n.User, n.Dir = v[0].text, ""
		v = v[1:]
	}
	word := v.word()
	n.Text, n.Static, n.Glob = word.Text, word.Static, word.Glob
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

// within is the directory that a program changes to before it works.
func (w *walker) within(s *state, c *call, t command.Touch) string {
	v := w.fromArg(c, t.Arg, command.Arg{Text: t.Text, Static: t.Static, Glob: t.Glob})
	text, ok := v.text()
	if !ok || v.word().Glob {
		return ""
	}
	return join(s.dir, text)
}

// made returns the file of that name that the script has written, nil when it has not.
// Links that the script has made are followed.
func (w *walker) made(s *state, v value) *written {
	if len(s.files) == 0 {
		return nil
	}
	key := w.name(s, v).key()
	if to, ok := s.linked(key); ok {
		key = to
	}
	for i := len(s.files) - 1; i >= 0; i-- {
		f := &s.files[i]
		if f.target != "" || key == "" || !strings.HasPrefix(key, f.name) {
			continue
		}
		if f.name == key || f.tree && (key[len(f.name)] == '/' || f.name == "/") {
			return f
		}
	}
	return nil
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
			if rest, under := strings.CutPrefix(key, f.name); under && (rest == "" || rest[0] == '/') {
				key, moved, ok = path.Clean(f.target+rest), true, true
			}
		}
		if !moved {
			break
		}
	}
	return key, ok
}

// through adds the effect on what a name leads to through a link of the script.
func (w *walker) through(s *state, e Effect) {
	if len(s.files) == 0 || e.Flags&(command.NoFollow|command.Link) != 0 {
		return
	}
	key := e.Name.key()
	if e.Name.Glob && e.Name.User == "" {
		key = join(e.Name.Dir, e.Name.Text)
	}
	to, ok := s.linked(key)
	if !ok || to == key {
		return
	}
	e.Name.Text, e.Name.Dir = to, ""
	if strings.HasPrefix(to, "./") {
		e.Name.Text = to[2:]
	}
	w.effect(s, e)
}

// unpacked records that everything below a name came out of a flow.
func (w *walker) unpacked(s *state, v value, f *flow) {
	key := w.name(s, v).key()
	if key == "" || len(s.files) >= 256 || f.source() != Network && f.source() != Decoded {
		return
	}
	s.files = append(s.files[:len(s.files):len(s.files)], written{name: key, flow: *f, tree: true})
	w.touched(s)
}

// wrote records what a file holds from now on.
func (w *walker) wrote(s *state, v value, f *flow, more bool) {
	key := w.name(s, v).key()
	if key == "" || len(s.files) >= 256 {
		return
	}
	if f == nil {
		f = &flow{from: Literal}
	}
	if more {
		if old := w.made(s, v); old == nil {
			f = &flow{from: worse(f.source(), File), why: "a file that was there before is added to"}
		} else if old.flow.from == Literal && f.from == Literal {
			f = &flow{from: Literal, val: append(append(value(nil), old.flow.val...), f.val...)}
		} else {
			f = &flow{from: worse(old.flow.source(), f.source()), why: "a file is added to"}
		}
	}
	s.files = append(s.files[:len(s.files):len(s.files)], written{name: key, flow: *f})
	if text, ok := f.whole(); ok && text != "" && key[0] == '/' && len(w.out.Written) < maxWritten {
		w.out.Written = append(w.out.Written, Written{Name: key, Text: text})
	}
	w.touched(s)
}

// maxWritten bounds the files whose content a text tells.
const maxWritten = 64
