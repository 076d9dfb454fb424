package code

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// spanned is v with the span of the call when it has none of its own.
func (r *reader) spanned(v value, a arguments) value {
	if v.end == 0 {
		v.start, v.end = a.start, a.end
	}
	return v
}

// touch records the fact that a name is used. A name that is not known makes the program opaque,
// except where it is only read: the sandbox decides what may be read, not the text, but a name that
// was encoded is hidden on purpose.
func (r *reader) touch(right command.Right, flags command.Flags, v, span value) {
	v.each(func(v value) {
		if f := v.file(); f != nil && flags&command.Source != 0 { // an open file, by its name
			v = *f
		}
		switch v.shape {
		case plain:
			r.name(right, flags, v, span)
		case below, component:
			if v.fresh && right == command.Delete {
				// what the program made goes: the folder is as it was
				r.name(command.Write, 0, v, span)
				return
			}
			r.name(right, flags|command.Recursive, v, span)
		case numeral: // a file descriptor
		case list:
			for _, x := range v.items {
				r.touch(right, flags, x, span)
			}
		default:
			reads := right == command.Read && flags&command.Source == 0
			if !reads && !r.vaguely(right, flags, v) {
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
	if flags&command.Source != 0 && strings.Contains(s, "://") {
		r.add(Fact{Rule: "code.remote", Risk: 3, Message: "executes code from the network",
			Start: span.start, End: span.end})
		r.add(Fact{Right: command.Net, Text: s, Start: span.start, End: span.end})
		return
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

// touchAll touches every argument that the selector means.
func (r *reader) touchAll(right command.Right, flags command.Flags, selector string, a arguments) {
	vs := a.values(selector)
	if len(vs) == 0 && right != command.Read && !strings.HasSuffix(selector, "?") {
		r.opaque = true // a default that is not in the text
	}
	for _, v := range vs {
		r.touch(right, flags, v, r.spanned(v, a))
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

// openFile is open(name, mode).
func (r *reader) openFile(selector, mode string, a arguments) {
	m, ok := a.arg(mode)
	write, read, more := !ok && false, !ok, command.Flags(0)
	m.each(func(m value) {
		switch {
		case !ok:
		case m.shape == plain:
			if m.text == "" || strings.ContainsAny(m.text, "r<") && !strings.ContainsAny(m.text,
				"wax+>") {
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
	if !ok || m.shape == reference && strings.HasSuffix(m.text, "O_RDONLY") || m.shape == numeral &&
		m.text == "0" {
		right = command.Read
	}
	for _, v := range a.values(selector) {
		r.touch(right, 0, v, r.spanned(v, a))
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
			if len(r.dirs) >= 4 || v.shape == plain && len(r.dirs) > 0 && !strings.HasPrefix(v.text,
				"/") {
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
