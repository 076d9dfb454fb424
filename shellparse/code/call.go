package code

import (
	"slices"
	"strconv"
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

// handed takes a whole name that stands in the text and is given to a function which nobody
// knows: linecache.getline("/etc/x"). What is not said to be text is most likely read.
func (r *reader) handed(callee value, a arguments) {
	name := callee.text
	if i := strings.LastIndexAny(name, ".:"); i >= 0 {
		name = name[i+1:]
	}
	if slices.Contains(aboutText, name) {
		return
	}
	for _, vs := range [...][]value{a.pos, a.named} {
		for _, v := range vs {
			if v.shape == plain && (v.home || wholeName(v.text)) {
				r.touch(command.Read, command.Possible, v, r.spanned(v, a))
			}
		}
	}
}

// aboutText are functions that show, compare or take apart what they are given, in any language.
var aboutText = []string{"append", "assert", "cat", "compare", "concat", "contains", "count", "cut", "debug", "echo", "endsWith",
	"endswith", "ends_with", "eq", "equal", "equals", "error", "exec", "fail", "find", "findall", "format", "fullmatch", "gsub", "includes", "index",
	"indexOf", "info", "inspect", "join", "len", "length", "log", "lower", "lstrip", "match", "message", "p", "partition", "pp", "print",
	"printf", "println", "push", "puts", "remove", "removeprefix", "removesuffix", "replace", "replaceAll", "repr", "rstrip", "say", "search",
	"split", "sprintf", "startsWith", "startswith", "start_with", "str", "str_replace", "string", "strip", "strpos", "sub", "test", "toBe",
	"toEqual", "trim", "upper", "var_dump", "warn", "warning", "write"}

// wholeName reports whether text can only be the name of a file from the root, or its URL.
func wholeName(text string) bool {
	text = strings.TrimPrefix(text, "file://")
	return len(text) > 1 && len(text) < 1<<12 && text[0] == '/' && text[1] != '/' && text[1] != '*' && !strings.ContainsAny(text, " \t\n\\()[]{}<>|*?^$\"'`")
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
		if k := callee.recv; k.shape == numeral || (k.shape == plain || k.shape == list) && !k.path && !r.g.bare {
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
