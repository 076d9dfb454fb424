package code

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// These are the clauses of rules that one language alone needs.

// rubyOpen is Kernel#open and IO.read, where a name that starts with a bar is a program.
func (r *reader) rubyOpen(selector string, a arguments) {
	v, _ := a.arg(selector)
	v.each(func(v value) {
		one := arguments{pos: append([]value{v}, a.pos[min(1, len(a.pos)):]...), start: a.start,
			end: a.end}
		switch {
		case v.shape != plain:
			r.opaque = r.opaque || v.shape == unknown
			if v.shape != unknown {
				r.openFile("0", "1", one)
			}
		case strings.HasPrefix(v.text, "|"):
			v.text = v.text[1:]
			r.shell(v, r.spanned(v, a))
		case strings.Contains(v.text, "://"):
			r.network("net", "0", "", one)
		default:
			r.openFile("0", "1", one)
		}
	})
}

// require is Perl's and Ruby's, which take the name of a module or of a file.
func (r *reader) require(verb, selector string, a arguments) {
	v, ok := a.arg(selector)
	switch {
	case !ok || v.shape == reference || v.shape == numeral: // require Foo::Bar
	case v.shape != plain || v.alts != nil || v.decoded:
		r.opaque = true
	case verb == "relative":
		v.text = "./" + v.text
		r.touch(command.Read, command.Source, v, r.spanned(v, a))
	case strings.ContainsAny(v.text, "./"):
		if strings.HasPrefix(v.text, ".") || strings.HasPrefix(v.text, "/") ||
			strings.HasSuffix(v.text, ".pl") {
			r.touch(command.Read, command.Source, v, r.spanned(v, a))
		}
	}
}
