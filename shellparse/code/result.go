package code

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// result is the value of a call.
func (r *reader) result(what, selector string, a arguments) value {
	v, ok := a.arg(selector)
	switch what {
	case "path", "join", "file-join", "resolve":
		return r.joined(what, a)
	case "glob", "names", "entries", "walk":
		if !ok && what == "entries" {
			v = value{shape: plain, text: "."}
		}
		r.touch(command.Read, listing(what), mapped(v, matches), r.spanned(v, a))
		return listed(what, v, a)
	case "home":
		return value{shape: plain, home: true, start: a.start, end: a.end}
	case "homepath":
		return value{shape: plain, home: true, path: true, start: a.start, end: a.end}
	case "dotpath":
		return value{shape: plain, text: ".", path: true, start: a.start, end: a.end}
	case "temp":
		return value{shape: below, text: "/tmp", start: a.start, end: a.end}
	case "fresh":
		return value{shape: below, text: "/tmp", fresh: true, start: a.start, end: a.end}
	case "env":
		if v.shape == plain && v.text == "HOME" {
			return value{shape: plain, home: true, start: a.start, end: a.end}
		}
	case "expand":
		return mapped(v, expanded)
	case "parent":
		return mapped(v, parent)
	case "same":
		return v
	case "items":
		if v.shape == list && v.alts == nil {
			return v
		}
		return value{decoded: v.decoded || v.shape == plain}
	case "content":
		return mapped(v, contentOf)
	case "module":
		return r.module(v, token{start: a.start, end: a.end})
	case "ref":
		return value{shape: reference, text: selector, start: a.start, end: a.end}
	case "attribute":
		return r.attribute(a)
	case "timer":
		if len(a.pos) > 0 && a.pos[0].shape == plain {
			r.nested(r.g.name, "0", a) // a string is evaluated
		}
	case "digits":
		return value{shape: component}
	case "decoded":
		return value{decoded: true}
	}
	return value{}
}

// joined puts a name together from the arguments.
func (r *reader) joined(how string, a arguments) value {
	v := value{shape: plain, start: a.start, end: a.end}
	if how == "path" && len(a.pos) == 0 {
		v.text = "."
	}
	for i, w := range a.pos {
		switch {
		case i == 0:
			v = w
		case how == "resolve" && w.shape == plain && strings.HasPrefix(w.text, "/"):
			v = w // the last absolute part wins
		default:
			v = r.join(v, w)
		}
	}
	path := how == "path" || how == "join" && len(a.pos) > 0 && a.pos[0].path
	return mapped(v, func(v value) value { v.path = path; return v })
}

func listing(what string) command.Flags {
	if what == "walk" {
		return command.List | command.Recursive
	}
	return command.List
}

// listed is the result of listing a directory: a list with one name that represents all.
func listed(what string, v value, a arguments) value {
	one := func(x value) value { return heavy(value{shape: list, items: []value{x}}) }
	names := one(value{shape: component})
	inside := mapped(v, func(v value) value {
		if v.shape != plain && v.shape != below {
			return value{}
		}
		v.shape = below
		return v
	})
	switch {
	case what == "names":
		return names
	case what == "walk":
		return one(heavy(value{shape: list, items: []value{inside, names, names}}))
	case what == "glob" && !(len(a.pos) > 1 && a.pos[0].path): // not Path.glob(pattern)
		return one(mapped(v, matches))
	}
	return one(inside)
}

// matches is what a pattern can name.
func matches(v value) value {
	if v.shape != plain {
		return v
	}
	if root, isGlob := globRoot(v.text); isGlob {
		v.shape, v.text = below, root
	}
	return v
}

// expanded is a name whose tilde means the home directory.
func expanded(v value) value {
	switch {
	case v.shape != plain && v.shape != below:
	case v.text == "~" || strings.HasPrefix(v.text, "~/"):
		v.home, v.text = true, v.text[1:]
	case strings.HasPrefix(v.text, "~") || strings.Contains(v.text, "$"):
		return value{}
	}
	return v
}

func parent(v value) value {
	if i := strings.LastIndexByte(v.text, '/'); v.shape == plain && i > 0 {
		v.text = v.text[:i]
		return v
	} else if v.shape == plain && i < 0 && !v.home && !strings.HasPrefix(v.text, ".") {
		v.text = ""
		return v
	}
	return value{path: v.path}
}

// attribute is getattr(object, name).
func (r *reader) attribute(a arguments) value {
	object, _ := a.arg("0")
	member, _ := a.arg("1")
	switch {
	case member.shape == plain && member.alts == nil && object.shape == reference:
		return r.constant(value{shape: reference, text: object.text + "." + member.text,
			start: a.start, end: a.end})
	case member.shape == plain && member.alts == nil:
		return value{shape: method, text: member.text, recv: &object}
	}
	r.opaque = true
	return value{}
}
