package code

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// dotted reads a.b.c.
func (r *reader) dotted() string {
	var b strings.Builder
	for r.peek().kind == name || r.peek().is(".") {
		b.WriteString(r.peek().text)
		r.i++
		if r.peek().word("as") || r.peek().word("import") {
			break
		}
	}
	return b.String()
}

func (r *reader) importStatement() bool {
	if r.g.name == "javascript" {
		return r.importJavaScript()
	}
	if r.g.name != "python" {
		return false
	}
	r.i++
	for {
		module := r.dotted()
		r.imported(module)
		if r.peek().word("as") && r.ahead(1).kind == name {
			r.bind(r.ahead(1).text, value{shape: reference, text: module})
			r.i += 2
		} else {
			first, _, _ := strings.Cut(module, ".")
			r.bind(first, value{shape: reference, text: first})
		}
		if !r.accept(",") {
			return true
		}
	}
}

func (r *reader) fromImport() bool {
	if r.i > 0 && r.toks[r.i-1].word("yield") {
		return false
	}
	r.i++
	module := r.dotted()
	if !r.peek().word("import") {
		return true
	}
	r.imported(module)
	r.i++
	r.accept("(")
	for {
		t := r.peek()
		if t.is("*") {
			r.i++
			r.stars = append(r.stars, module)
			if len(r.stars) > maxAlternatives {
				r.stars, r.opaque = r.stars[:maxAlternatives], true
			}
			return true
		}
		if t.kind != name {
			return true
		}
		r.i++
		target := t.text
		if r.peek().word("as") && r.ahead(1).kind == name {
			target = r.ahead(1).text
			r.i += 2
		}
		r.bind(target, r.constant(value{shape: reference, text: module + "." + t.text}))
		if !r.accept(",") {
			return true
		}
	}
}

// importJavaScript reads import a, {b as c} from "m"; import * as a from "m"; import "m".
func (r *reader) importJavaScript() bool {
	if r.ahead(1).is("(") || r.ahead(1).is(".") {
		return false
	}
	r.i++
	type pair struct{ local, member string }
	var pairs []pair
	member := ""
	depth := 0
	for n := 0; n < 256; n++ {
		t := r.peek()
		switch {
		case t.kind == text:
			r.i++
			module := r.module(known(t.text, t), t)
			for _, p := range pairs {
				v := module
				if p.member != "" && module.shape == reference {
					v = r.constant(value{shape: reference, text: module.text + "." + p.member})
				}
				r.bind(p.local, v)
			}
			return true
		case t.is("{"):
			depth++
		case t.is("}"):
			depth--
		case t.word("from"), t.is(","), t.is("*"), t.word("type"):
		case t.kind == name:
			member = t.text
			local := member
			if r.ahead(1).word("as") && r.ahead(2).kind == name {
				local = r.ahead(2).text
				r.i += 2
			}
			if depth == 0 || member == "default" {
				member = ""
			}
			pairs = append(pairs, pair{local, member})
		case t.word("as") && r.ahead(1).kind == name:
		default:
			return true
		}
		r.i++
	}
	return true
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
	return value{shape: reference, text: strings.ReplaceAll(name, "/", "."), start: v.start,
		end: v.end}
}
