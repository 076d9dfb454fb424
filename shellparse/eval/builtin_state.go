package eval

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog"
	"github.com/tada-run/tada-run/shellparse/command"
	"mvdan.cc/sh/v3/syntax"
)

// waits is wait, whose -p names a variable: bash evaluates the subscript of one.
func (w *builtins) waits(s *state, c *call) worlds {
	if _, values, _ := c.options("p"); values['p'] != nil {
		w.nameArg(s, values['p'], c.span)
		if name, ok := values['p'].text(); ok {
			w.assignTo(s, name, unknown("the number of a job", Unknown))
		} else {
			w.forget(s)
		}
	}
	return w.nothing(s, c)
}

func (w *builtins) testWords(s *state, c *call) worlds {
	for i := range c.words {
		if i+1 < len(c.words) && (c.words[i].Text == "-v" || c.words[i].Text == "-R") {
			w.nameArg(s, c.args[i+1], c.at(i+1))
		}
		w.testedFiles(s, c, i)
	}
	ws := w.nothing(s, c)
	if empty, known := c.testsEmpty(); known && len(ws) == 1 {
		ws[0].status = failure
		if empty {
			ws[0].status = success
		}
	}
	return ws
}

// testsEmpty reports how a test of one known text ends that asks whether it is empty, or is not.
func (c *call) testsEmpty() (success, known bool) {
	last := len(c.words) - 1
	if c.words[0].Text == "[" && c.words[last].Text == "]" {
		last--
	}
	if last != 2 || len(c.args) != len(c.words) {
		return false, false
	}
	text, known := c.args[2].text()
	switch c.words[1].Text {
	case "-n":
		return text != "", known
	case "-z":
		return text == "", known
	}
	return false, false
}

// testedFiles are the names that an operator of test(1) looks at.
func (w *builtins) testedFiles(s *state, c *call, i int) {
	switch op := c.words[i].Text; {
	case i+1 >= len(c.words):
	case op == "-nt" || op == "-ot" || op == "-ef":
		w.tested(s, c.args[i-1], c.at(i-1))
		w.tested(s, c.args[i+1], c.at(i+1))
	case len(op) == 2 && op[0] == '-' && strings.IndexByte("abcdefghkprsuwxGLNOS", op[1]) >= 0:
		switch before := c.words[i-1].Text; {
		case i == 1, before == "!", before == "(", before == "-a", before == "-o":
			w.tested(s, c.args[i+1], c.at(i+1))
		}
	}
}

func (w *builtins) set(s *state, c *call) worlds {
	if len(c.args) == 1 {
		w.dumps(s)
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
					w.opaque(s, InCode, "which option of the shell is changed is not known",
						c.at(i))
					w.anyOption(s)
					continue
				}
				w.setOption(s, c.words[i].Text, on, c.at(i))
				continue
			}
			if letter != 'o' { // with nothing behind it: it lists them
				w.setLetter(s, letter, on, c.at(i))
			}
		}
	}
	return worlds{s}
}

func (w *builtins) shopt(s *state, c *call) worlds {
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

func (w *builtins) enable(s *state, c *call) worlds {
	letters, values, i := c.options("fx")
	switch {
	case i < len(c.words) && !c.words[i].Static:
		w.opaque(s, InCode, "which builtin is loaded or turned off is not known", c.at(i))
	case strings.ContainsAny(letters, "f"):
		w.hazard(Hazard{Rule: "shell.load", Risk: 3, Message: "loads a library into the shell",
			Span: c.span})
		if f, ok := values['f']; ok {
			w.effect(s, Effect{Right: command.Read, Flags: command.Source, Name: w.name(s, f),
				Span: c.span})
		}
		w.opaque(s, InCode, "a library is loaded into the shell", c.span)
	case strings.Contains(letters, "n"):
		w.opaque(s, InProgram, "builtins are turned off, and programs of their names would run",
			c.span)
	}
	return worlds{s}
}

func (w *builtins) unset(s *state, c *call) worlds {
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
		if catalog.Variable(name).Has("history") {
			w.unrecorded("changes what the shell records of its lines", c.at(i))
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
		w.put(s, name, variable{})
	}
	return worlds{s}
}

// leaves is shift, exit, return, break and continue. A jump is followed only in its plain form,
// because bash continues after one that fails: too many words, a redirection that cannot be made,
// an assignment to a read-only name.
func (w *builtins) leaves(s *state, c *call) worlds {
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

func (w *builtins) shift(s *state, n int64, plain bool) {
	switch {
	case !plain, s.argsOpen && n > int64(certain(s.args)):
		s.args, s.argsOpen = nil, true
	case n <= int64(len(s.args)):
		s.args = s.args[n:]
	}
	w.touched(s)
}

// leastLimits are the limits, by the letter of ulimit, below which a shell can start no process:
// descriptors and processes by number, memory in KiB. bash itself needs a dozen descriptors and
// some MiB.
var leastLimits = map[byte]int{'n': 256, 'u': 256, 'v': 1 << 17, 'd': 1 << 17, 's': 1 << 10}

// limits is ulimit. A shell that asks about each of its lines forks for it, so in such a shell a
// limit that leaves it nothing to fork with is a way around the question.
func (w *builtins) limits(s *state, c *call) worlds {
	_, values, _ := c.options("nuvds")
	for _, letter := range []byte("nuvds") {
		least := leastLimits[letter]
		v, ok := values[letter]
		if !ok || !w.o.Later {
			continue
		}
		text, known := v.text()
		n, err := strconv.Atoi(text)
		if known && (err != nil || n >= least) { // unlimited, hard, soft
			continue
		}
		w.unrecorded("leaves the shell no room to report its lines", c.span)
	}
	return w.nothing(s, c)
}
