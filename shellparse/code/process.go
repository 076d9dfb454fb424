package code

import (
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog"
	"github.com/tada-run/tada-run/shellparse/command"
)

// start carries out the clauses that start programs.
func (r *reader) start(verb, selector, more string, a arguments) bool {
	switch verb {
	case "process":
		r.process(selector, more, a)
	case "argv":
		r.argv(a.values(selector), a)
	case "shell":
		for _, v := range a.values(selector) {
			r.shell(v, r.spanned(v, a))
		}
	case "list-or-shell":
		if v, _ := a.arg(selector); v.shape == list {
			r.argv(v.items, a)
		} else {
			r.shell(v, r.spanned(v, a))
		}
	case "words": // one word is a shell line, more are a list
		if vs := a.values(selector); len(vs) == 1 {
			r.shell(vs[0], r.spanned(vs[0], a))
		} else {
			r.argv(vs, a)
		}
	case "pipe-or-open":
		r.perlOpen(selector, a)
	default:
		return false
	}
	return true
}

// shell takes the fact that a shell line is run.
func (r *reader) shell(v, span value) {
	v.each(func(v value) {
		if v.shape == list {
			r.argv(v.items, arguments{start: span.start, end: span.end})
			return
		}
		if v.shape != plain || v.decoded {
			r.opaque = true
		}
		if v.shape != plain {
			return
		}
		s := v.text
		if v.home {
			s = "~" + s
		}
		r.run(Fact{Right: command.Exec, Shell: s, Start: span.start, End: span.end})
	})
}

// argv takes the fact that a program is run with these words.
func (r *reader) argv(vs []value, a arguments) {
	if len(vs) == 0 {
		r.opaque = true
		return
	}
	words, whole := make([]string, 0, len(vs)), true
	for i, v := range vs {
		if v.shape == below && v.fresh && i > 0 { // a name that nothing has yet
			words = append(words, v.text+"/fresh")
			continue
		}
		if i > 0 && !v.decoded && len(r.dirs) == 0 && (v.alts != nil || v.shape == unknown ||
			v.shape == component || v.shape == reference) {
			words = append(words, Unknown)
			continue
		}
		if (v.shape != plain && v.shape != numeral) || v.alts != nil || v.decoded {
			whole = false
			break
		}
		s := v.text
		if v.home {
			s = "~" + s
		}
		words = append(words, s)
	}
	if !whole {
		r.opaque = true
		if len(words) > 0 {
			r.add(Fact{Right: command.Exec, Text: words[0], Start: a.start, End: a.end})
		}
		return
	}
	if vs[0].home || strings.HasPrefix(strings.Join(words, "\x00"), "~") {
		r.opaque = true // a list goes to no shell, so its words have no spelling for home
	}
	r.run(Fact{Right: command.Exec, Argv: words, Start: a.start, End: a.end})
}

// run adds the fact that a program is started, in every directory the program may be in.
func (r *reader) run(f Fact) {
	r.add(f)
	for _, d := range r.dirs {
		if d.shape != plain || d.home {
			r.opaque = true
			continue
		}
		g := f
		if f.Argv != nil {
			g.Argv = append([]string{"env", "-C", d.text}, f.Argv...)
		} else if r.spent.take(len(f.Shell)) {
			g.Shell = "cd '" + strings.ReplaceAll(d.text, "'", `'\''`) + "' && " + f.Shell
		} else {
			r.opaque = true
		}
		r.add(g)
	}
}

// process is subprocess.run and child_process.spawn: a list or a program and a list, and
// an option that hands a string to a shell.
func (r *reader) process(selector, more string, a arguments) {
	if dir, ok := a.arg("cwd|chdir"); ok {
		old := r.dirs
		r.dirs = nil
		r.chdir([]value{dir})
		defer func() { r.dirs = old }()
	}
	if env, ok := a.arg("env"); ok && env.shape == table {
		for _, k := range env.keys {
			r.opaque = r.opaque || loads(k)
		}
	}
	first, ok := a.arg(selector)
	if !ok {
		r.opaque = true
		return
	}
	shell, isShell := a.arg("shell")
	isShell = isShell && !(shell.shape == reference && (shell.text == "False" ||
		shell.text == "false"))
	first.each(func(v value) {
		span := r.spanned(v, a)
		switch {
		case v.shape == list && isShell && r.g.name == "python":
			if len(v.items) > 0 {
				r.shell(v.items[0], span)
			}
		case v.shape == list:
			r.argv(v.items, a)
		case isShell && more == "":
			r.shell(v, span)
		case more != "": // the words are in a second argument
			rest, _ := a.arg(more)
			vs := []value{v}
			if rest.shape == list {
				vs = append(vs, rest.items...)
			} else if rest.shape != table && (rest.shape != unknown || len(a.pos) > 1 &&
				rest.alts == nil && a.pos[1].shape != table) {
				vs = append(vs, rest)
			}
			if isShell {
				line := vs[0]
				for _, w := range vs[1:] {
					line = r.concat(r.concat(line, value{shape: plain, text: " "}), w)
				}
				r.shell(line, span)
			} else {
				r.argv(vs, a)
			}
		default:
			r.argv([]value{v}, a)
		}
	})
}

// perlOpen is open FILEHANDLE, MODE, NAME and open FILEHANDLE, "MODE NAME", where a mode
// with a bar starts a program.
func (r *reader) perlOpen(selector string, a arguments) {
	from, _ := strconv.Atoi(selector)
	if len(a.pos) <= from {
		r.opaque = true
		return
	}
	mode := a.pos[from]
	span := r.spanned(mode, a)
	if len(a.pos) == from+1 {
		mode.each(func(v value) {
			s := strings.TrimSpace(v.text)
			switch {
			case v.shape != plain || v.decoded:
				r.opaque = true // its first byte decides what it does
			case strings.HasPrefix(s, "|") || strings.HasSuffix(s, "|"):
				v.text = strings.Trim(s, "| ")
				r.shell(v, span)
			default:
				m := s[:len(s)-len(strings.TrimLeft(s, "+<>"))]
				v.text = strings.TrimSpace(s[len(m):])
				r.openFile("0", "1",
					arguments{pos: []value{v, {shape: plain, text: m + "<"[:1-min(1, len(m))]}},
						start: a.start, end: a.end})
			}
		})
		return
	}
	mode.each(func(v value) {
		switch {
		case v.shape == plain && strings.Contains(v.text, "|"):
			if rest := a.pos[from+1:]; len(rest) == 1 {
				r.shell(rest[0], span)
			} else {
				r.argv(rest, a)
			}
		case len(a.pos[from+1].text) == 0 && a.pos[from+1].shape == reference: // an in-memory file
		default:
			r.openFile("0", "1", arguments{pos: []value{a.pos[from+1], v}, start: a.start,
				end: a.end})
		}
	})
}

// loads reports whether an environment variable makes a program that is started later load, run
// or follow something else, or mean something else by what it was given.
func loads(variable string) bool {
	e := catalog.Variable(variable)
	return variable == "" || e.Has("runs", "starts", "sources", "loads", "searches", "options",
		"prompts",
		"configures", "removed")
}
