package code

import "github.com/tada-run/tada-run/shellparse/command"

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
			if v.file() != nil && lang == r.g.name { // the file is executed
				r.name(command.Read, command.Source, *v.recv, r.spanned(v, a))
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
			facts, opaque := r.syntax.scan(lang, v.text, r.nesting+1, r.spent)
			r.opaque = r.opaque || opaque
			span := r.spanned(v, a)
			for _, f := range facts {
				f.Start, f.End = span.start, span.end
				r.add(f)
			}
		})
	}
}
