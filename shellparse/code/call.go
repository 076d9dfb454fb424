package code

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// call is what a call does and returns.
func (r *reader) call(callee value, a arguments) value {
	if callee.alts != nil {
		out := value{}
		for i, c := range callee.alts {
			v := r.call(c, a)
			if i == 0 {
				out = v
			} else {
				out, _ = union(out, v)
			}
		}
		return out
	}
	if r.g.symbolic && callee.shape == plain {
		callee = value{shape: reference, text: strings.TrimPrefix(callee.text, `\`),
			start: callee.start}
	}
	decoded := callee.decoded
	for _, v := range a.pos {
		decoded = decoded || v.decoded
		if v.shape == reference {
			does, ok := r.g.find(v.text)
			decoded = decoded || ok && does == "=decoded" // map(chr, ...)
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
	if callee.shape == method && callee.recv.file() != nil && callee.text == "read" {
		return *callee.recv
	}
	if v, ok := entries(callee); ok {
		return v
	}
	does, ok := r.rule(callee)
	if !ok {
		r.handed(callee, a)
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
	v := r.apply(does, a)
	v.decoded = v.decoded || decoded
	return v
}

// entries are the keys and values of a table, of which the text has all.
func entries(callee value) (value, bool) {
	if callee.shape != method || callee.text != "items" || callee.recv.shape != table ||
		len(callee.recv.keys) == 0 || slices.Contains(callee.recv.keys, "") {
		return value{}, false
	}
	out := value{shape: list}
	for i, key := range callee.recv.keys {
		pair := value{shape: list, items: []value{{shape: plain, text: key}, callee.recv.items[i]}}
		out.items = append(out.items, heavy(pair))
	}
	return heavy(out), true
}

// methodOfText forgets a list that one of its methods may change.
func (r *reader) methodOfText(callee value) {
	if callee.shape == method && callee.base != "" && (callee.recv.shape == list ||
		callee.recv.shape == table) {
		r.forget(callee.base)
	}
}

// rule finds what the table says about a function or method.
func (r *reader) rule(callee value) (string, bool) {
	if callee.shape == method {
		if k := callee.recv; k.shape == numeral || (k.shape == plain || k.shape == list) &&
			!k.path && !r.g.bare {
			return "", false // a number or a string reaches nothing
		}
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

// apply carries out a rule: clauses separated by "; ".
func (r *reader) apply(does string, a arguments) value {
	if rest, ok := strings.CutPrefix(does, "receiver "); ok {
		does = rest
		a.pos = append([]value{{}}, a.pos...) // the object is not known
	}
	out := value{start: a.start, end: a.end}
	for clause := range strings.SplitSeq(does, "; ") {
		verb, rest, _ := strings.Cut(clause, " ")
		if strings.HasPrefix(verb, "=") {
			out = r.result(verb[1:], rest, a)
			continue
		}
		r.do(verb, rest, a)
		if verb == "open" && r.g.name == "python" {
			out = opened(rest, a)
		}
	}
	return out
}

// opened is a file that is opened to be read.
func opened(rest string, a arguments) value {
	selector, mode, _ := strings.Cut(rest, " ")
	if m, ok := a.arg(mode); ok && (m.shape != plain || m.alts != nil ||
		strings.ContainsAny(m.text, "wax+")) {
		return value{}
	}
	v, _ := a.arg(selector)
	return mapped(v, contentOf)
}

// do carries out one clause.
func (r *reader) do(verb, rest string, a arguments) {
	selector, more, _ := strings.Cut(rest, " ")
	switch verb {
	case "opaque":
		r.opaque = true
	case "pure":
	case "hazard":
		r.add(Fact{Rule: selector, Risk: 2, Message: more, Start: a.start, End: a.end})
	case "code":
		r.nested(selector, more, a)
	case "chdir":
		r.chdir(a.values(selector))
	case "open":
		r.openFile(selector, more, a)
	case "open-flags":
		r.openFlags(selector, more, a)
	case "sqlite":
		switch v, _ := a.arg(selector); {
		case v.shape == plain && v.text == ":memory:":
		case !changesTables().MatchString(r.src):
			r.touch(command.Read, command.WriteAhead, v, r.spanned(v, a))
		default:
			r.touch(command.Write, 0, v, r.spanned(v, a))
		}
	default:
		if right, flags, ok := rightOf(verb); ok {
			r.touchAll(right, flags, selector, a)
		} else if !r.start(verb, selector, more, a) && !r.contact(verb, selector, more, a) {
			r.special(verb, selector, a)
		}
	}
}

// changesTables matches what a program says that changes a database. One without it reads, and the
// sandbox lets it do no more.
var changesTables = pattern(`(?i)\b(?:insert|update|delete|create|drop|replace\s+into|alter|` +
	`vacuum|attach|reindex|pragma\s+[\w.]+\s*=|commit|executescript|backup|to_sql)\b`)

// special carries them out.
func (r *reader) special(verb, selector string, a arguments) {
	switch verb {
	case "bar-or-open", "bar-or-read":
		r.rubyOpen(selector, a)
	case "require", "relative":
		r.require(verb, selector, a)
	case "send", "send-self":
		r.send(verb, a)
	case "argument": // of the program, which <> of Perl opens
		if len(a.pos) > 0 && a.pos[0].text == "@ARGV" {
			r.touchAll(command.Read, 0, selector, a)
		}
	default:
		r.opaque = true // no such verb: the table is wrong, and a test says so
	}
}

// send is Ruby's call of a method by its name.
func (r *reader) send(verb string, a arguments) {
	object := value{shape: reference}
	if verb == "send" && len(a.pos) > 0 {
		object = a.pos[0]
		a.pos = a.pos[1:]
	}
	if len(a.pos) == 0 || a.pos[0].shape != plain || a.pos[0].alts != nil {
		r.opaque = true
		return
	}
	method := a.pos[0].text
	a.pos = a.pos[1:]
	if object.shape == reference && object.text != "" && object.text != "self" {
		method = object.text + "." + method
	}
	if does, ok := r.g.lookup(strings.TrimPrefix(method, "Object.")); ok {
		r.apply(does, a)
	} else if does, ok := r.g.find(method[strings.LastIndexByte(method, '.')+1:]); ok {
		r.apply(does, a)
	}
}
