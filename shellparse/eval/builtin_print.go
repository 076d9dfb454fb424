package eval

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Builtins that print.

func (w *builtins) nothing(s *state, c *call) worlds {
	for i := 1; i < len(c.args); i++ {
		if !c.words[i].Static && !c.words[i].Glob {
			w.opaque(s, InData, c.words[i].Why, c.at(i))
		}
		w.listed(s, c.args[i], c.at(i))
	}
	return worlds{s}
}

// strange is a builtin whose effects are not followed.
func (w *builtins) strange(s *state, c *call) worlds {
	w.opaque(s, InCode, "what "+c.words[0].Text+" changes in the shell is not followed", c.span)
	w.forgetAll(s)
	return worlds{s}
}

func (w *builtins) echo(s *state, c *call) worlds {
	w.nothing(s, c)
	w.shown(s, c)
	if !s.capture {
		return worlds{s}
	}
	i, newline, escapes := 1, true, w.o.Dialect != Bash
	if w.o.Dialect == POSIX && !w.dash && len(c.args) > 1 &&
		(strings.HasPrefix(c.words[1].Text, "-") ||
			strings.Contains(joined(c.args).prefix(), "\\")) {
		w.write(s, &stream{from: Unknown, why: "the output of echo, which shells make differently"})
		return worlds{s}
	}
	for ; i < len(c.words) && c.words[i].Static; i++ {
		opt := c.words[i].Text
		if opt == "-" && w.o.Dialect == Zsh {
			i++
			break
		}
		if len(opt) < 2 || opt[0] != '-' || strings.Trim(opt[1:], w.echoOptions()) != "" {
			break
		}
		newline = newline && !strings.Contains(opt, "n")
		if at := strings.LastIndexAny(opt, "eE"); at >= 0 {
			escapes = opt[at] == 'e'
		}
	}
	v := joined(c.args[i:])
	if escapes && escaped(v.prefix()) {
		v = v.said(disguised)
	}
	if newline {
		v = v.add(part{text: "\n"})
	}
	if escapes {
		v = w.echoed(v, false)
	}
	w.write(s, &stream{from: Literal, val: v})
	return worlds{s}
}

// shown finds secrets of the caller's environment among words that are printed for all to
// see.
func (w *builtins) shown(s *state, c *call) {
	if s.capture {
		return
	}
	for i, v := range c.args {
		if v.is(ofSecret) {
			w.listedHazard("secret.print", c.at(i))
		}
	}
}

func (w *builtins) pwd(s *state, c *call) worlds {
	v := orUnknown(s.dir, "the working directory is not known").val
	w.write(s, &stream{from: Literal, val: append(append(value(nil), v...), part{text: "\n"})})
	return worlds{s}
}

// printf evaluates a format as far as its words are known.
func (w *builtins) printf(s *state, c *call) (ws worlds) {
	w.nothing(s, c)
	w.shown(s, c)
	_, values, i := c.options("v")
	name, toName := values['v']
	if toName && w.o.Dialect == POSIX { // dash has no such option
		other := s.fork()
		other.status = failure
		defer func() { ws = append(ws, other) }()
	}
	if toName {
		w.nameArg(s, name, c.span)
	}
	var v value
	if i < len(c.args) && (s.capture || toName) {
		if v = joined(c.args[i:]); certain(c.args[i:]) == len(c.args[i:]) {
			v = w.format(c.args[i], c.args[i+1:])
		} else { // how often the format is used depends on the names
			v = unknown(v.why(), v.from())
		}
	}
	if !toName {
		w.write(s, &stream{from: Literal, val: v})
		return worlds{s}
	}
	text, ok := name.text()
	if plain, _, _ := strings.Cut(text, "["); ok && syntax.ValidName(plain) {
		if len(v) == 0 {
			v = known("")
		} else if strings.Contains(v.prefix(), "\x00") {
			v = unknown("a value with a NUL", Literal)
		}
		w.assignTo(s, text, v)
	} else if !ok {
		w.forgetAll(s)
	}
	return worlds{s}
}
