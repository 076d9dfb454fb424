package code

import (
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// call is what a call does and returns.
func (r *reader) call(callee value, a arguments, t token) value {
	if callee.alts != nil {
		out := value{}
		for i, c := range callee.alts {
			v := r.call(c, a, t)
			if i == 0 {
				out = v
			} else {
				out, _ = union(out, v)
			}
		}
		return out
	}
	if r.g.symbolic && callee.shape == plain {
		callee = value{shape: reference, text: strings.TrimPrefix(callee.text, `\`), start: callee.start}
	}
	decoded := callee.decoded
	for _, v := range a.pos {
		decoded = decoded || v.decoded
		if v.shape == reference {
			does, _ := r.g.find(v.text)
			decoded = decoded || does == "=decoded" // map(chr, ...)
		}
		for _, w := range v.items {
			decoded = decoded || w.decoded
		}
	}
	variable := callee.shape == reference && strings.HasPrefix(callee.text, "$") && r.g.symbolic
	if callee.shape != reference && callee.shape != method || variable {
		if r.g.symbolic && (callee.shape == unknown || variable) {
			r.opaque = true // the name of the function is computed
		}
		r.escapeAll(a)
		return value{decoded: decoded}
	}
	if callee.shape == reference && r.userFunction(callee.text, a) {
		r.escapeAll(a)
		return value{}
	}
	does, ok := r.rule(callee)
	if !ok {
		r.methodOfText(callee)
		r.escapeAll(a)
		return value{decoded: decoded}
	}
	if callee.shape == method {
		a.pos = append([]value{*callee.recv}, a.pos...)
	}
	if !strings.HasPrefix(does, "=") {
		r.escapeAll(a)
	}
	v := r.apply(does, callee, a)
	v.decoded = v.decoded || decoded
	return v
}

func (r *reader) escapeAll(a arguments) {
	for _, v := range a.pos {
		r.escape(v)
	}
	for _, v := range a.named {
		r.escape(v)
	}
}

// methodOfText forgets a list that one of its methods may change.
func (r *reader) methodOfText(callee value) {
	if callee.shape == method && callee.base != "" && (callee.recv.shape == list || callee.recv.shape == table) {
		r.forget(callee.base)
	}
}

// rule finds what the table says about a function or method.
func (r *reader) rule(callee value) (string, bool) {
	if callee.shape == method {
		return r.g.find(r.methodName(callee))
	}
	if does, ok := r.g.lookup(callee.text); ok {
		return does, true
	}
	if strings.Contains(callee.text, ".") {
		i := strings.LastIndexByte(callee.text, '.')
		if does, ok := r.g.find(callee.text[:i]); ok && !harmless(does) {
			return "opaque", true // f.call(x), f.bind(x)
		}
		if does, ok := r.g.find(callee.text[i:]); ok {
			return "receiver " + does, true
		}
		return "", false
	}
	for _, s := range r.stars {
		if does, ok := r.g.lookup(s + "." + callee.text); ok {
			return does, true
		}
	}
	return "", false
}

// userFunction binds the parameters of a function of the text to the arguments.
func (r *reader) userFunction(name string, a arguments) bool {
	params, ok := r.funcs[name]
	if !ok {
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			if params, ok := r.funcs[name[i+1:]]; ok {
				r.forget(params...)
			}
		}
		return false
	}
	for i, v := range a.pos {
		if i < len(params) {
			r.bind(params[i], v)
		}
	}
	for i, k := range a.keys {
		r.bind(k, a.named[i])
	}
	return true
}

// arg is the argument that a selector of a rule means: a position, a position from which
// on all are meant ("1*"), or names of keywords, alternatives joined with "|".
func (a arguments) arg(selector string) (value, bool) {
	for s := range strings.SplitSeq(strings.TrimSuffix(selector, "?"), "|") {
		if n, err := strconv.Atoi(strings.TrimSuffix(s, "*")); err == nil {
			if n < len(a.pos) {
				return a.pos[n], true
			}
			continue
		}
		if v, ok := a.keyword(s); ok {
			return v, true
		}
	}
	return value{}, false
}

// keyword is a named argument, or the member of a trailing table of options.
func (a arguments) keyword(name string) (value, bool) {
	for i, k := range a.keys {
		if k == name {
			return a.named[i], true
		}
	}
	for i := len(a.pos) - 1; i >= 0; i-- {
		if a.pos[i].shape != table {
			continue
		}
		for j, k := range a.pos[i].keys {
			if k == name {
				return a.pos[i].items[j], true
			}
		}
	}
	return value{}, false
}

// values are all arguments that a selector means.
func (a arguments) values(selector string) []value {
	first, rest, _ := strings.Cut(selector, "|")
	if n, ok := strings.CutSuffix(first, "*"); ok {
		from, _ := strconv.Atoi(n)
		var out []value
		for i := from; i < len(a.pos); i++ {
			if a.pos[i].shape == list {
				out = append(out, a.pos[i].items...)
			} else if a.pos[i].shape != table {
				out = append(out, a.pos[i])
			}
		}
		return out
	}
	_ = rest
	if v, ok := a.arg(selector); ok {
		if v.shape == list {
			return v.items
		}
		return []value{v}
	}
	return nil
}

// apply carries out a rule: clauses separated by "; ".
func (r *reader) apply(does string, callee value, a arguments) value {
	if rest, ok := strings.CutPrefix(does, "receiver "); ok {
		does = rest
		a.pos = append([]value{{}}, a.pos...) // the object is not known
	}
	out := value{start: a.start, end: a.end}
	for clause := range strings.SplitSeq(does, "; ") {
		verb, rest, _ := strings.Cut(clause, " ")
		if strings.HasPrefix(verb, "=") {
			out = r.result(verb[1:], rest, callee, a)
			continue
		}
		r.do(verb, rest, a)
	}
	return out
}

// do carries out one clause.
func (r *reader) do(verb, rest string, a arguments) {
	selector, more, _ := strings.Cut(rest, " ")
	switch verb {
	case "opaque":
		r.opaque = true
	case "pure":
	case "hazard":
		risk := 2
		r.add(Fact{Rule: selector, Risk: risk, Message: more, Start: a.start, End: a.end})
	case "open":
		r.openFile(selector, more, a)
	case "open-flags":
		r.openFlags(selector, more, a)
	case "sqlite":
		if v, _ := a.arg(selector); v.shape != plain || v.text != ":memory:" {
			r.touch(command.Write, 0, v, r.spanned(v, a))
		}
	case "fetch":
		if v, _ := a.arg(selector); v.shape == plain && strings.Contains(v.text, "://") {
			r.network("net", selector, more, a)
		} else {
			r.touch(command.Read, 0, v, r.spanned(v, a))
		}
	case "process":
		r.process(selector, more, a)
	case "argv":
		r.argv(a.values(selector), a)
	case "shell":
		for _, v := range a.values(selector) {
			r.shell(v, r.spanned(v, a))
		}
	case "list-or-shell":
		v, _ := a.arg(selector)
		if v.shape == list {
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
	case "read-or-net", "write-or-net", "open-or-net":
		r.streamed(verb, selector, more, a)
	case "bar-or-open", "bar-or-read":
		r.rubyOpen(selector, more, a)
	case "exec-list": // a program and a list of its arguments
		v, _ := a.arg(selector)
		vs := []value{v}
		if w, ok := a.arg(more); ok && w.shape == list {
			vs = append(vs, w.items...)
		} else if ok {
			vs = append(vs, w)
		}
		r.argv(vs, a)
	case "source": // a name or a URL, executed
		if v, _ := a.arg(selector); v.shape == plain && strings.Contains(v.text, "://") {
			r.opaque = true
		}
		r.do("load", selector, a)
	case "require", "relative":
		r.require(verb, selector, a)
	case "send", "send-self":
		r.send(verb, a)
	case "call", "callback":
		r.callback(verb, selector, a)
	case "curl-option":
		r.curlOption(a)
	case "peer":
		if v, ok := a.keyword("PeerAddr"); ok {
			a.pos = append([]value{v}, a.pos...)
		} else if v, ok := a.keyword("PeerHost"); ok {
			a.pos = append([]value{v}, a.pos...)
		}
		r.network("socket", "0", "port=PeerPort", a)
	case "net", "post", "socket":
		r.network(verb, selector, more, a)
	case "code":
		r.nested(selector, more, a)
	case "chdir":
		r.chdir(a.values(selector))
	default:
		if right, flags, ok := rightOf(verb); ok {
			vs := a.values(selector)
			if len(vs) == 0 && right != command.Read {
				if !strings.Contains(selector, "?") {
					r.opaque = true // of a default that is not in the text
				}
			}
			for _, v := range vs {
				r.touch(right, flags, v, r.spanned(v, a))
			}
		}
	}
}

// rightOf is what a verb of the rules does to a name.
func rightOf(verb string) (command.Right, command.Flags, bool) {
	switch verb {
	case "read":
		return command.Read, 0, true
	case "list":
		return command.Read, command.List, true
	case "readtree":
		return command.Read, command.Recursive, true
	case "load":
		return command.Read, command.Source, true
	case "write":
		return command.Write, 0, true
	case "append":
		return command.Write, command.Append, true
	case "meta":
		return command.Write, command.Meta, true
	case "create":
		return command.Create, 0, true
	case "link":
		return command.Create, command.Link, true
	case "writetree":
		return command.Write, command.Recursive, true
	case "delete":
		return command.Delete, 0, true
	case "tree":
		return command.Delete, command.Recursive, true
	}
	return 0, 0, false
}

// spanned is v with the span of the call when it has none of its own.
func (r *reader) spanned(v value, a arguments) value {
	if v.end == 0 {
		v.start, v.end = a.start, a.end
	}
	return v
}

// touch takes the fact that a name is used. A name that is not known makes the program
// opaque, except where it is only read: what may be read is not for the text to say, but
// a name that was encoded is hidden on purpose.
func (r *reader) touch(right command.Right, flags command.Flags, v, span value) {
	v.each(func(v value) {
		switch v.shape {
		case plain:
			r.name(right, flags, v, span)
		case below, component:
			r.name(right, flags|command.Recursive, v, span)
		case numeral: // a file descriptor
		case list:
			for _, x := range v.items {
				r.touch(right, flags, x, span)
			}
		default:
			if right != command.Read || flags&command.Source != 0 || v.decoded {
				r.opaque = true
			}
		}
		if v.decoded {
			r.opaque = true
		}
	})
}

// name adds a fact about a file, in every directory that the program may be in.
func (r *reader) name(right command.Right, flags command.Flags, v, span value) {
	s := v.text
	switch {
	case v.home:
		s = "~" + s
	case strings.HasPrefix(s, "~"):
		s = "./" + s
	case strings.HasPrefix(s, "file://"):
		s = strings.TrimPrefix(s, "file://")
	}
	if s == "" {
		if v.shape == plain {
			return // no such file
		}
		s = "."
	}
	f := Fact{Right: right, Flags: flags, Text: s, Start: span.start, End: span.end}
	r.add(f)
	if strings.HasPrefix(s, "/") || v.home {
		return
	}
	for _, d := range r.dirs {
		if d.shape != plain {
			r.opaque = r.opaque || right != command.Read
			continue
		}
		if w := r.join(d, value{shape: plain, text: s}); w.shape == plain {
			f.Text = w.text
			if w.home {
				f.Text = "~" + w.text
			}
			r.add(f)
		}
	}
}

func (r *reader) add(f Fact) {
	if r.emits {
		r.facts = append(r.facts, f)
	}
}

// chdir notes a directory that relative names may start from. The order of execution is
// not known, so they may start from any of them, and from where the program started.
func (r *reader) chdir(vs []value) {
	for _, v := range vs {
		v.each(func(v value) {
			if v.shape != plain || v.decoded {
				v = value{}
			}
			for _, d := range r.dirs {
				if d.same(v) {
					return
				}
			}
			r.changed = true
			if len(r.dirs) >= 4 || v.shape == plain && len(r.dirs) > 0 && !strings.HasPrefix(v.text, "/") {
				v = value{}
				for _, d := range r.dirs {
					if d.shape == unknown {
						return
					}
				}
			}
			v.start, v.end = 0, 0
			r.dirs = append(r.dirs, v)
		})
	}
}

// openFile is open(name, mode).
func (r *reader) openFile(selector, mode string, a arguments) {
	m, ok := a.arg(mode)
	write, read, more := !ok && false, !ok, command.Flags(0)
	m.each(func(m value) {
		switch {
		case !ok:
		case m.shape == plain:
			if m.text == "" || strings.ContainsAny(m.text, "r<") && !strings.ContainsAny(m.text, "wax+>") {
				read = true
				break
			}
			if !strings.ContainsAny(m.text, "wax+>rU") {
				read = true // "b", or an encoding in the place of the mode
				break
			}
			write = true
			if strings.Contains(m.text, "a") || strings.Contains(m.text, ">>") {
				more = command.Append
			}
			if strings.Contains(m.text, "+") {
				read = true
			}
		case m.shape == numeral, m.shape == table:
			read = true
		default:
			write = true
		}
	})
	for _, v := range a.values(selector) {
		span := r.spanned(v, a)
		if read {
			r.touch(command.Read, 0, v, span)
		}
		if write {
			r.touch(command.Write, more, v, span)
		}
	}
}

// openFlags is open(2) with flags: only O_RDONLY alone does not write.
func (r *reader) openFlags(selector, flags string, a arguments) {
	m, ok := a.arg(flags)
	right := command.Write
	if !ok || m.shape == reference && strings.HasSuffix(m.text, "O_RDONLY") || m.shape == numeral && m.text == "0" {
		right = command.Read
	}
	for _, v := range a.values(selector) {
		r.touch(right, 0, v, r.spanned(v, a))
	}
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
	for _, v := range vs {
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
		for i, k := range env.keys {
			if env.items[i].shape == plain || strings.HasPrefix(k, "LD_") || k == "PATH" {
				r.opaque = r.opaque || strings.HasPrefix(k, "LD_") || k == "PATH" || k == "BASH_ENV" || k == "PYTHONPATH" || k == "NODE_OPTIONS"
			}
		}
	}
	first, ok := a.arg(selector)
	if !ok {
		r.opaque = true
		return
	}
	shell, isShell := a.arg("shell")
	isShell = isShell && !(shell.shape == reference && (shell.text == "False" || shell.text == "false"))
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
			} else if rest.shape != table && (rest.shape != unknown || len(a.pos) > 1 && rest.alts == nil && a.pos[1].shape != table) {
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

// network is a request or a connection.
func (r *reader) network(verb, selector, more string, a arguments) {
	flags := command.Flags(0)
	if verb != "net" {
		flags = command.Upload
	}
	for s := range strings.FieldsSeq(more) {
		if strings.HasPrefix(s, "port=") {
			continue
		}
		if v, ok := a.arg(s); ok && !(v.shape == reference && (v.text == "None" || v.text == "null" || v.text == "undefined" || v.text == "nil")) && v.shape != table {
			flags |= command.Upload
		} else if ok && v.shape == table {
			if _, isPos := strconv.Atoi(s); isPos != nil {
				flags |= command.Upload
			}
		}
	}
	if m, ok := a.arg("method"); ok && !(m.shape == plain && (strings.EqualFold(m.text, "get") || strings.EqualFold(m.text, "head"))) {
		flags |= command.Upload
	}
	if _, ok := a.keyword("body"); ok {
		flags |= command.Upload
	}
	v, ok := a.arg(selector)
	if !ok {
		r.opaque = true
		return
	}
	if v.shape == reference && strings.HasSuffix(v.text, ".built") {
		return // said where it was built
	}
	port := value{}
	for s := range strings.FieldsSeq(more) {
		if p, ok := strings.CutPrefix(s, "port="); ok {
			port, _ = a.arg(p)
		}
	}
	if v.shape == list && len(v.items) > 0 { // a (host, port) pair
		if len(v.items) > 1 {
			port = v.items[1]
		}
		v = v.items[0]
	}
	if v.shape == table {
		t := arguments{pos: []value{v}}
		host, found := t.arg("host|hostname|PeerAddr|PeerHost")
		if !found {
			if p, isPath := t.keyword("path"); isPath {
				_ = p
				return // a local socket
			}
			host, _ = t.arg("url|uri")
		}
		port, _ = t.arg("port|PeerPort")
		if _, posts := t.keyword("data"); posts {
			flags |= command.Upload
		}
		v = host
	}
	span := r.spanned(v, a)
	v.each(func(v value) {
		if v.shape == numeral && (port.shape == plain || verb == "socket") { // connect(port, host)
			v, port = port, v
			if v.shape != plain {
				v = value{shape: plain, text: "localhost"}
			}
		}
		if v.shape != plain || v.decoded || v.home {
			r.opaque = true
			if v.text == "" || v.shape != unknown {
				return
			}
			return
		}
		if scheme, _, ok := strings.Cut(v.text, "://"); ok && (strings.EqualFold(scheme, "file") || strings.Contains(scheme, "php")) {
			r.touch(command.Read, 0, value{shape: plain, text: v.text[len(scheme)+3:]}, span)
			return
		}
		s := v.text
		if (port.shape == numeral || port.shape == plain && port.text != "") && !strings.Contains(s, "://") && !strings.HasSuffix(s, ":"+port.text) {
			s += ":" + port.text
		}
		r.add(Fact{Right: command.Net, Flags: flags, Text: s, Start: span.start, End: span.end})
	})
}

// nested reads a literal that is a program itself.
func (r *reader) nested(lang, selector string, a arguments) {
	vs := a.values(selector)
	if len(vs) == 0 && selector != "" && lang != "sql" {
		r.opaque = true
	}
	for _, v := range vs {
		v.each(func(v value) {
			if v.shape == numeral || v.shape == table {
				return
			}
			if v.shape != plain || v.decoded {
				r.opaque = r.opaque || lang != "sql"
				return
			}
			if !r.emits {
				return
			}
			if !r.spent.take(len(v.text)) {
				r.opaque = true
				return
			}
			facts, opaque := scan(lang, v.text, r.nesting+1, r.spent)
			r.opaque = r.opaque || opaque
			span := r.spanned(v, a)
			for _, f := range facts {
				f.Start, f.End = span.start, span.end
				r.add(f)
			}
		})
	}
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
				r.openFile("0", "1", arguments{pos: []value{v, {shape: plain, text: m + "<"[:1-min(1, len(m))]}}, start: a.start, end: a.end})
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
			r.openFile("0", "1", arguments{pos: []value{a.pos[from+1], v}, start: a.start, end: a.end})
		}
	})
}

// result is the value of a call.
func (r *reader) result(what, selector string, callee value, a arguments) value {
	v, ok := a.arg(selector)
	switch what {
	case "path":
		v = value{shape: plain, text: ".", start: a.start, end: a.end}
		for i, w := range a.pos {
			if i == 0 {
				v = w
			} else {
				v = r.join(v, w)
			}
		}
		return mapped(v, func(v value) value { v.path = true; return v })
	case "join":
		for i, w := range a.pos {
			if i == 0 {
				v = w
			} else {
				v = r.join(v, w)
			}
		}
		path := len(a.pos) > 0 && a.pos[0].path
		return mapped(v, func(v value) value { v.path = path; return v })
	case "file-join": // an absolute part does not stand alone
		v, _ = a.arg("0")
		for _, w := range a.pos[min(1, len(a.pos)):] {
			v = r.join(v, w)
		}
		return v
	case "home":
		return value{shape: plain, home: true, path: callee.text == "pathlib.Path.home", start: a.start, end: a.end}
	case "homepath":
		return value{shape: plain, home: true, path: true, start: a.start, end: a.end}
	case "env":
		if v.shape == plain && v.text == "HOME" {
			return value{shape: plain, home: true, start: a.start, end: a.end}
		}
		return value{}
	case "expand":
		return mapped(v, func(v value) value {
			if v.shape != plain && v.shape != below {
				return v
			}
			if v.text == "~" || strings.HasPrefix(v.text, "~/") {
				v.home, v.text = true, v.text[1:]
				return v
			}
			if strings.HasPrefix(v.text, "~") || strings.Contains(v.text, "$") {
				return value{}
			}
			return v
		})
	case "same":
		return v
	case "module":
		return r.module(v, token{start: a.start, end: a.end})
	case "ref":
		return value{shape: reference, text: selector, start: a.start, end: a.end}
	case "glob":
		r.touch(command.Read, command.List, value{shape: below, text: rootOf(v), home: v.home}, r.spanned(v, a))
		dir, path := value{}, false
		if len(a.pos) > 1 && a.pos[0].path {
			dir, path = a.pos[0], true
			v = a.pos[1]
		}
		return heavy(value{shape: list, items: []value{mapped(v, func(v value) value {
			if v.shape != plain {
				return value{}
			}
			root, isGlob := globRoot(v.text)
			w := v
			if isGlob {
				w = value{shape: below, text: root, home: v.home, start: v.start, end: v.end}
			}
			if path {
				w = r.join(dir, w)
				w.path = true
				if w.shape == plain && isGlob {
					w.shape = below
				}
			}
			return w
		})}})
	case "names":
		r.touch(command.Read, command.List, v, r.spanned(v, a))
		return value{shape: list, items: []value{{shape: component}}, weight: 2}
	case "entries":
		if !ok {
			v = value{shape: plain, text: "."}
		}
		r.touch(command.Read, command.List, v, r.spanned(v, a))
		return heavy(value{shape: list, items: []value{mapped(v, func(v value) value {
			if v.shape == plain || v.shape == below {
				v.shape = below
				return v
			}
			return value{}
		})}})
	case "walk":
		r.touch(command.Read, command.List|command.Recursive, v, r.spanned(v, a))
		dir := v
		dir.shape = unknown
		if v.shape == plain || v.shape == below {
			dir.shape = below
		}
		names := value{shape: list, items: []value{{shape: component}}, weight: 2}
		return heavy(value{shape: list, items: []value{heavy(value{shape: list, items: []value{dir, names, names}})}})
	case "list":
		return heavy(value{shape: list, items: a.pos, start: a.start, end: a.end})
	case "parent":
		return mapped(v, func(v value) value {
			if i := strings.LastIndexByte(v.text, '/'); v.shape == plain && i > 0 {
				v.text = v.text[:i]
				return v
			}
			return value{path: v.path}
		})
	case "decoded":
		return value{decoded: true}
	case "paste":
		v = value{shape: plain, start: a.start, end: a.end}
		for _, w := range a.pos {
			v = r.concat(v, w)
		}
		return v
	case "timer":
		if len(a.pos) > 0 && a.pos[0].shape == plain {
			r.nested(r.g.name, "0", a) // a string is evaluated
		}
	case "resolve": // node: the last absolute part wins
		rooted := *r.g
		rooted.rooted = true
		old := r.g
		r.g = &rooted
		v = r.result("join", "", callee, a)
		r.g = old
		return v
	case "temp":
		return value{shape: below, text: "/tmp", start: a.start, end: a.end}
	case "dotpath":
		return value{shape: plain, text: ".", path: true, start: a.start, end: a.end}
	case "attribute":
		return r.attribute(a)
	}
	return value{}
}

// attribute is getattr(object, name).
func (r *reader) attribute(a arguments) value {
	object, _ := a.arg("0")
	member, _ := a.arg("1")
	switch {
	case member.shape == plain && member.alts == nil && object.shape == reference:
		return r.constant(value{shape: reference, text: object.text + "." + member.text, start: a.start, end: a.end})
	case member.shape == plain && member.alts == nil:
		return value{shape: method, text: member.text, recv: &object}
	}
	r.opaque = true
	return value{}
}

func rootOf(v value) string {
	if v.shape != plain {
		return ""
	}
	dir, _ := globRoot(v.text)
	return dir
}

func mapped(v value, f func(value) value) value {
	if v.alts == nil {
		return f(v)
	}
	out := value{}
	for i, a := range v.alts {
		if i == 0 {
			out = f(a)
		} else {
			out, _ = union(out, f(a))
		}
	}
	return out
}

// module is what require(name) returns: a module whose functions the table may know, or a
// file of the project, which is read and executed.
func (r *reader) module(v value, t token) value {
	if v.alts != nil {
		return mapped(v, func(v value) value { return r.module(v, t) })
	}
	if v.shape != plain || v.decoded {
		r.opaque = true
		return value{}
	}
	if strings.HasPrefix(v.text, ".") || strings.HasPrefix(v.text, "/") {
		r.touch(command.Read, command.Source, v, v)
		return value{}
	}
	if strings.Contains(v.text, "://") || strings.HasPrefix(v.text, "data:") {
		r.opaque = true
		return value{}
	}
	name := strings.TrimPrefix(v.text, "node:")
	switch name {
	case "fs-extra", "graceful-fs", "fs/promises":
		name = "fs"
	case "path/posix":
		name = "path"
	}
	r.imported(name)
	return value{shape: reference, text: strings.ReplaceAll(name, "/", "."), start: v.start, end: v.end}
}
