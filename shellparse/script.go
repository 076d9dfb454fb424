package shellparse

import (
	"github.com/tada-run/tada-run/shellparse/eval"
	"github.com/tada-run/tada-run/shellparse/syntax"
)

// What [Parse] takes and returns. The types are those of the packages that make the values.
type (
	Options    = eval.Options
	Script     = eval.Script
	Command    = eval.Command
	Word       = eval.Word
	Assign     = eval.Assign
	Name       = eval.Name
	Effect     = eval.Effect
	Endpoint   = eval.Endpoint
	Hazard     = eval.Hazard
	Code       = eval.Code
	Source     = eval.Source
	Written    = eval.Written
	Opaque     = eval.Opaque
	Place      = eval.Place
	Wrapped    = eval.Wrapped
	Dialect    = syntax.Dialect
	Span       = syntax.Span
	Mark       = syntax.Mark
	ParseError = syntax.ParseError
)

// The shells whose grammar is known. Bash is the default.
const (
	Bash  = syntax.Bash
	POSIX = syntax.POSIX
	Zsh   = syntax.Zsh
)

// The sources of code, worst first.
const (
	Unknown = eval.Unknown
	Network = eval.Network
	Decoded = eval.Decoded
	Stdin   = eval.Stdin
	File    = eval.File
	Literal = eval.Literal
)

// The places of an unknown piece, worst first.
const (
	InText    = eval.InText
	InProgram = eval.InProgram
	InCode    = eval.InCode
	InDelete  = eval.InDelete
	InWrite   = eval.InWrite
	InHost    = eval.InHost
	InOption  = eval.InOption
	InRead    = eval.InRead
	InData    = eval.InData
)
