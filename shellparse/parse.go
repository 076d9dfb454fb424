package shellparse

import (
	"fmt"

	"github.com/tada-run/tada-run/shellparse/eval"
	"github.com/tada-run/tada-run/shellparse/syntax"
)

// Parse reads a command line and reports what it would start and which names it would touch. The
// result is never nil. It depends on nothing but text and o, so equal arguments give equal results;
// its time is linear in the length of text. When the text cannot be read, Err is set, Canonical is
// empty, and one Opaque with the place InText covers all of it.
func Parse(text string, o Options) *Script {
	s := &Script{Text: text, Dialect: o.Dialect}
	marks, refused := syntax.Gate(text)
	s.Marks = syntax.Seen(marks)
	if len(text) > syntax.MaxText {
		why := fmt.Sprintf("longer than %d bytes", syntax.MaxText)
		refuse(s, &ParseError{Span: Span{End: len(text)}, Text: why})
		return s
	}
	file, err := syntax.Parse(text, o.Dialect)
	if err != nil {
		if refused != nil {
			err = refused
		}
		refuse(s, err)
		return s
	}
	canonical, err := syntax.Canonical(file, text, marks, o.Dialect)
	if refused != nil {
		err = refused
	}
	if err != nil {
		refuse(s, err)
		if err.TooDeep() {
			return s
		}
	} else {
		s.Canonical = canonical
	}
	eval.Evaluate(s, file, o)
	return s
}

// refuse records that the text as a whole cannot be trusted to mean what was read.
func refuse(s *Script, err *ParseError) {
	s.Err, s.Canonical = err, ""
	all := Span{End: len(s.Text)}
	s.Opaque = append(s.Opaque, Opaque{Place: InText, Text: s.Text, Why: err.Text, Span: all,
		Command: -1})
}
