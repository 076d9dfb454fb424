package eval

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// reads is read, mapfile and getopts: names get what comes from outside.
func (w *builtins) reads(s *state, c *call) worlds {
	switch c.words[0].Text {
	case "getopts":
		if len(c.words) > 2 && !c.words[2].Static {
			w.forget(s)
		}
		for _, n := range []string{"OPTARG", c.words[len(c.words)-1].Text} {
			if syntax.ValidName(n) {
				w.assign(s, n, unknown("$"+n+" is an option", Unknown))
			}
		}
		if len(c.words) > 2 && syntax.ValidName(c.words[2].Text) {
			w.assign(s, c.words[2].Text, unknown("an option letter", Unknown))
		}
		return worlds{s}
	case "mapfile", "readarray":
		_, values, i := c.options(mapfileValues)
		if code, ok := values['C']; ok {
			code = append(code.quoted(), part{text: " 0 "},
				part{kind: open, why: "a line of the input", from: s.in.source()})
			w.shellArg(s.fork(), code, c.span, c.words[0].Text)
		}
		w.mapfile(s, c, i)
		return worlds{s}
	}
	return w.readWords(s, c)
}

func (w *builtins) mapfile(s *state, c *call, i int) {
	name := "MAPFILE"
	if i < len(c.args) {
		name = c.words[i].Text
		w.nameArg(s, c.args[i], c.at(i))
		if !c.words[i].Static {
			w.forget(s)
			return
		}
	}
	if !syntax.ValidName(name) {
		return
	}
	v, _ := s.env.get(name)
	v.list, v.hash, v.isHash, v.isList, v.set = []value{
		unknown("a line of the input", s.in.source()).named(s.in).maybeMany()},
		nil, false, true, true
	if text, ok := s.in.whole(); ok && !strings.Contains(text, "\x00") && c.plainLines() {
		lines := strings.SplitAfter(text, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		if len(lines) <= maxFields {
			v.list = nil
			for _, l := range lines {
				if letters, _, _ := c.options(mapfileValues); letters != "" {
					l = strings.TrimSuffix(l, "\n")
				}
				v.list = append(v.list, w.attributed(s, v, known(l)))
			}
		}
	}
	w.put(s, name, v)
}

// readWords is read. Of known input it takes one line, so that the next read gets the next.
func (w *builtins) readWords(s *state, c *call) worlds {
	letters, values, i := c.options("adinNptu")
	if v, ok := values['a']; ok {
		w.nameArg(s, v, c.span)
		if name, fine := v.text(); fine && syntax.ValidName(name) {
			old, _ := s.env.get(name)
			old = old.vague("")
			old.list = []value{unknown("a word of the input",
				s.in.source()).named(s.in).maybeMany()}
			w.put(s, name, old)
		}
	}
	names := []string{}
	for ; i < len(c.args); i++ {
		w.nameArg(s, c.args[i], c.at(i))
		if text := c.words[i].Text; !c.words[i].Static && !strings.Contains(text, "[") {
			defer w.forget(s)
		}
		names = append(names, c.words[i].Text)
	}
	if len(names) == 0 {
		names = []string{"REPLY"}
	}
	vals := w.readLine(s, len(names), letters)
	if found := w.readsFound(s, letters, values['d']); len(names) == 1 && found != nil {
		vals[0] = found
	}
	wrong := false // read stops at what is no name
	for n, name := range names {
		plain, _, _ := strings.Cut(name, "[")
		wrong = wrong || !syntax.ValidName(plain) || !c.words[i-len(names)+n].Static
		switch {
		case !syntax.ValidName(plain):
		case wrong:
			w.assignTo(s, name, unknown("read may have stopped before $"+plain, Unknown))
		default:
			w.assignTo(s, name, vals[n])
		}
	}
	if wrong && s.in != nil {
		s.in = &stream{from: worse(Unknown, s.in.source()),
			why: "read may have stopped before it took a line"}
		w.touched(s)
	}
	return worlds{s}
}

// readsFound is the name that read takes from those that a program finds: a whole line, or all up
// to a NUL. It is nil where that is not known.
func (w *builtins) readsFound(s *state, letters string, delim value) value {
	end, _ := delim.text()
	if s.in == nil || len(s.in.found) != 1 || strings.Trim(letters, "rd") != "" || end != "" {
		return nil
	}
	if ifs, loose := w.ifs(s); loose || strings.Trim(ifs, " \t\n") != "" {
		return nil
	}
	return foundAs(s.in.found[0])
}

// readLine returns what read gives to n names.
func (w *builtins) readLine(s *state, n int, letters string) []value {
	text, ok := s.in.whole()
	from := s.in.source()
	if from == Literal {
		from = Unknown
	}
	ifs, loose := w.ifs(s)
	// with rules of their own for the last name
	loose = loose || w.o.Dialect == Zsh && strings.Trim(ifs, " \t\n") != ""
	if !ok || loose || strings.ContainsAny(letters, "dnNtu") ||
		strings.ContainsAny(text, "\\\x00") {
		vals := make([]value, n)
		for i := range vals {
			vals[i] = unknown("it is read from the input", from).named(s.in)
			vals[i][0].nums = s.in != nil && s.in.digits == onlyDigits &&
				!strings.Contains(letters, "u")
		}
		return vals
	}
	line, rest, more := strings.Cut(text, "\n")
	s.in = &stream{from: Literal, val: known(rest), ended: rest == ""}
	w.touched(s)
	s.status = success
	if line == "" && !more {
		s.status = failure
	}
	return splitRead(line, ifs, n)
}

// withoutEnd is the rest of a line for the last name: a delimiter that only ends it goes.
func withoutEnd(rest, ifs, blanks string) string {
	at := strings.IndexAny(rest, ifs)
	if at < 0 {
		return rest
	}
	end := strings.TrimLeft(rest[at:], blanks)
	if end == "" || strings.IndexByte(ifs, end[0]) < 0 || strings.TrimLeft(end[1:], blanks) != "" {
		return rest
	}
	return rest[:at]
}

// splitRead cuts a line for n names, the last of which takes the rest.
func splitRead(line, ifs string, n int) []value {
	vals := make([]value, n)
	blanks := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\n", r) {
			return r
		}
		return -1
	}, ifs)
	line = strings.Trim(line, blanks)
	for i := range vals {
		at := -1
		if i < n-1 && ifs != "" {
			at = strings.IndexAny(line, ifs)
		}
		if at < 0 {
			vals[i], line = known(withoutEnd(line, ifs, blanks)), ""
			continue
		}
		vals[i] = known(line[:at])
		rest := strings.TrimLeft(line[at:], blanks)
		if rest != "" && strings.IndexByte(ifs, rest[0]) >= 0 &&
			strings.IndexByte(blanks, rest[0]) < 0 {
			rest = strings.TrimLeft(rest[1:], blanks)
		}
		line = rest
	}
	return vals
}
