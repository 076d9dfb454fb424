package eval

import (
	"maps"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

func (w *commands) evalWords(s *state, c *call) worlds {
	i := 1
	if len(c.words) > 1 && c.words[1].Text == "--" {
		i = 2
		if w.o.Dialect == POSIX { // the name of a program in dash
			defer w.forgetAll(s)
		}
	}
	v := joined(c.args[i:])
	w.suspect(v, "sh", c.gone, c.span)
	if text, ok := v.text(); ok && !slices.ContainsFunc(c.words,
		func(x Word) bool { return x.Glob }) {
		return w.eval(s, text, "eval")
	}
	from := codeSource(v)
	w.code(Code{Lang: "sh", Source: from, Span: c.span})
	if from != File || v.why() != whySettings {
		w.opaque(s, InCode, executed(from, &stream{why: v.word().Why}), c.span)
	}
	child := s.fork()
	w.partial(child, v, c.span)
	if from == File && v.why() == whySettings {
		w.lost(s)
	} else {
		w.forgetAll(s)
	}
	return worlds{s}
}

func (w *commands) source(s *state, c *call) worlds {
	i := 1
	if len(c.words) > 1 && c.words[1].Text == "--" {
		i = 2
	}
	if i >= len(c.args) {
		return worlds{s}
	}
	v := c.args[i]
	f := behind(v)
	if made := w.made(s, v); made != nil {
		f = &made.flow
	}
	if slices.Contains(inputNames, c.words[i].Text) {
		f = s.in
	}
	if f != nil {
		w.suspect(f.val, "sh", false, c.at(i))
	} else {
		w.suspect(v, "sh", false, c.at(i))
	}
	if f == nil {
		w.effect(s, Effect{Right: command.Read, Flags: command.Source, Name: w.name(s, v),
			Span: c.at(i)})
		w.code(Code{Lang: "sh", Source: File, Span: c.at(i), assigned: s.assigned()})
		if !c.words[i].Static {
			w.opaque(s, InCode, "which file is executed is not known", c.at(i))
		}
		if w.isSnapshot(c.words[i]) {
			return worlds{s}
		}
		// The file is named, and can do more than change names. It rarely changes the
		// directory; where it may, the names that depend on it are marked.
		s.open, s.env, s.own = true, w.survivors(s, c.words[i]), false
		if s.alias && w.o.Dialect == Bash {
			w.opaque(s, InCode, "its aliases change what the lines after it mean", c.at(i))
		}
		if !onlySettings(c.words[i]) {
			s.movedBy = c.words[i].Text
		}
		w.touched(s)
		return worlds{s}
	}
	if text, ok := f.whole(); ok {
		args, open := s.args, s.argsOpen
		if i+1 < len(c.args) {
			s.give(c.args[i+1:])
		}
		ws := w.eval(s, text, "source")
		for _, e := range ws {
			if i+1 < len(c.args) {
				e.args, e.argsOpen = args, open
			}
		}
		return ws
	}
	w.runs(s, f, "sh", c.at(i))
	w.forgetAll(s)
	return worlds{s}
}

// assigned is the names that the text has assigned, each with a blank before it; "" when others may
// be among them, and a blank for none.
func (s *state) assigned() string {
	if s.open || s.later {
		return ""
	}
	names := slices.Sorted(maps.Keys(s.env.flat()))
	return " " + strings.Join(names, " ")
}

// onlySettings reports whether a file is by its name one that sets variables for the shell
// which reads it, and by custom nothing else: those of a virtual environment, of a login
// shell and of version managers.
func onlySettings(word Word) bool {
	if !word.Static && word.Text == "" {
		return false
	}
	name := base(word.Text)
	switch name {
	case "activate", "env", "profile", "bashrc", "os-release", "lsb-release", "nvm.sh", "asdf.sh",
		"sdkman-init.sh", "conda.sh", "bash_completion", "emsdk_env.sh":
		return true
	}
	return strings.HasPrefix(name, ".") && strings.Trim(name, ".") != "" ||
		strings.HasSuffix(name, ".env")
}

func (w *commands) exec(s *state, c *call) worlds {
	_, _, i := c.options("a")
	if i >= len(c.args) {
		s.keepIO = true
		return worlds{s}
	}
	return w.under(s, c, i, true)
}

// under runs the rest of the words as a command of its own.
func (w *commands) under(s *state, c *call, i int, program bool) worlds {
	defer func(via []string) { w.via = via }(w.via)
	w.via = append(slices.Clip(w.via), c.words[0].Text)
	sub := c.from(i)
	sub.program, sub.noFunction = program, true
	return w.interp.invoke(s, sub)
}

func (w *commands) commandWords(s *state, c *call) worlds {
	letters, _, i := c.options("")
	if strings.ContainsAny(letters, "vV") {
		w.write(s, &stream{from: Unknown, why: "where a program is found"})
		return worlds{s}
	}
	if i >= len(c.args) {
		return worlds{s}
	}
	return w.under(s, c, i, w.o.Dialect == Zsh && c.words[0].Text == "command")
}

// aborted is the run in which a special builtin fails, where that can be. POSIX wants the shell to
// end then (Consequences of Shell Errors), and dash ends; zsh ends after some errors, and bash
// continues.
func (w *commands) aborted(s *state, c *call) worlds {
	goesOn := w.o.Dialect == Bash || len(w.via) > 0 && w.via[len(w.via)-1] == "command"
	if goesOn || !isSpecial(c.words[0].Text) || len(c.words) == 1 && !c.redirected {
		return nil
	}
	end := s.fork()
	end.status, end.jump = failure, exiting
	return worlds{end}
}
