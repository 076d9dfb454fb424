package eval

import (
	"slices"
	"strconv"
	"strings"
)

// trap evaluates the code of a trap. What runs at the end is evaluated there; a signal or
// DEBUG can come at any moment, when any name may have any value.
func (w *builtins) trap(s *state, c *call) worlds {
	letters, _, i := c.options("")
	if strings.ContainsAny(letters, "lp") ||
		i >= len(c.args)-1 && i < len(c.args) && signalName(c.words[i].Text) {
		return worlds{s}
	}
	if i >= len(c.args) || c.words[i].Static && (c.words[i].Text == "-" || c.words[i].Text == "") {
		return worlds{s}
	}
	v := c.args[i]
	text, ok := w.held(s, v)
	if !ok {
		w.shellArg(s.fork(), v, c.at(i), "trap")
		return worlds{s}
	}
	atEnd := true
	for _, sig := range c.words[i+1:] {
		atEnd = atEnd && (sig.Text == "EXIT" || sig.Text == "0")
	}
	if atEnd && len(c.words) > i+1 && slices.Contains(s.traps, text) {
		return worlds{s}
	}
	// A trap that another replaces can still run, when a signal comes in between. Of very
	// many the rest is evaluated like one that comes at any moment.
	if atEnd && len(c.words) > i+1 && len(s.traps) < 32 {
		s.traps = append(slices.Clip(s.traps), text)
		w.touched(s)
		return worlds{s}
	}
	child := s.fork()
	child.later, child.env = true, s.env.blurred()
	w.eval(child, text, "trap")
	return worlds{s}
}

// held returns the text of a trap. What is not known in it, but certainly a number or a name as
// mktemp(1) makes them, means the same to the shell as a variable that has this value: trap "kill
// $!" EXIT.
func (w *builtins) held(s *state, v value) (string, bool) {
	if text, ok := v.text(); ok || strings.Contains(w.out.Text, kept) {
		return text, ok
	}
	var b strings.Builder
	for i, p := range v {
		switch {
		case p.known():
			b.WriteString(p.text)
		case p.kind == number, p.kind == pattern && !p.cuts && p.of == "" &&
			strings.Trim(p.text, madeLetters) == "":
			name := kept + strconv.Itoa(s.keeps)
			s.keeps++
			w.put(s, name, holding(value{p}))
			text := b.String()
			if i+1 < len(v) && strings.HasSuffix(text, "'") && v[i+1].known() &&
				strings.HasPrefix(v[i+1].text, "'") && strings.Count(text, "'")%2 == 1 {
				// in quotes that would keep the name as it is
				b.WriteString("'\"${" + name + "}\"'")
				continue
			}
			b.WriteString("${" + name + "}")
		default:
			return "", false
		}
	}
	return b.String(), true
}

// madeLetters are the characters of a name that mktemp(1) makes, with the placeholders for what it
// chooses.
const madeLetters = "?/._-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

func signalName(s string) bool {
	return s == "EXIT" || s == "0" || s == "DEBUG" || s == "ERR" || s == "RETURN" ||
		strings.HasPrefix(s, "SIG") ||
		s == "INT" || s == "TERM" || s == "HUP" || s == "QUIT" ||
		len(s) > 0 && s[0] >= '1' && s[0] <= '9'
}

// aliasWords looks into aliases: where they are expanded they change what the following
// lines mean, which no tree of the whole text can show.
func (w *builtins) aliasWords(s *state, c *call) worlds {
	for i := 1; i < len(c.args); i++ {
		text, ok := c.args[i].text()
		_, val, has := strings.Cut(text, "=")
		if !has {
			continue
		}
		if ok {
			child := s.fork()
			child.argsOpen = true
			w.partialText(child, val, c.at(i))
		}
		if s.alias {
			w.opaque(s, InCode, "an alias changes what the lines after it mean", c.at(i))
		} else if !ok {
			w.opaque(s, InData, c.words[i].Why, c.at(i))
		}
	}
	return worlds{s}
}
