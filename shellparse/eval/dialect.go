package eval

import shsyntax "github.com/tada-run/tada-run/shellparse/syntax"

type (
	// Dialect is the shell that executes a text.
	Dialect = shsyntax.Dialect
	// Span is a range of bytes of a text.
	Span = shsyntax.Span
	// Mark is a character that deceives a reader.
	Mark = shsyntax.Mark
	// ParseError says why a text cannot be read.
	ParseError = shsyntax.ParseError
)

// The shells.
const (
	Bash  = shsyntax.Bash
	POSIX = shsyntax.POSIX
	Zsh   = shsyntax.Zsh
)
