package syntax

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (d Dialect) variant() syntax.LangVariant {
	switch d {
	case POSIX:
		return syntax.LangPOSIX
	case Zsh:
		return syntax.LangZsh
	}
	return syntax.LangBash
}

// Dialect is the shell whose grammar a text is read in, and which must execute it.
type Dialect int

// The dialects that are read. Bash is the default.
const (
	Bash Dialect = iota
	POSIX
	Zsh
)

// A Span is a half-open range of byte offsets in Script.Text. Text inside a nested shell
// (sh -c, eval) has the span of the outer word that holds it.
type Span struct{ Start, End int }

// In reports whether all of the span is between two offsets.
func (s Span) In(start, end int) bool { return start <= s.Start && s.End <= end }

// A Mark is a character that a reader would not see, or would take for another.
type Mark struct {
	Rune rune
	Kind string // "control", "bidi", "invisible", "look-alike", "space", "invalid"
	Span Span
}

// A ParseError says where and why the text could not be read.
type ParseError struct {
	Span  Span
	Text  string
	Read  int // a shell runs this much of the text, whole lines, before it comes to the mistake
	cause error
}

func (e *ParseError) Error() string { return e.Text }

func (e *ParseError) Unwrap() error { return e.cause }

// Grammar reports whether it is a mistake in the grammar, which a shell most likely finds too, and
// not a character that hides something, or a limit.
func (e *ParseError) Grammar() bool { return strings.HasPrefix(e.Text, "syntax error") }
