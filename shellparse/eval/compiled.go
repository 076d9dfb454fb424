package eval

import (
	"path"
	"slices"

	"github.com/tada-run/tada-run/shellparse/code"
)

// compilerOf is the language that a compiler takes its input for, "" for another program.
func compilerOf(program string) string {
	switch program {
	case "gcc", "g++", "cc", "c++", "clang", "clang++", "tcc":
		return "c"
	case "rustc":
		return "rust"
	}
	return ""
}

// compiledBy is the language of a source by the ending of its name, "" where that says nothing.
func compiledBy(name string) string {
	switch path.Ext(name) {
	case ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".s", ".S":
		return "c"
	case ".go":
		return "go"
	case ".rs":
		return "rust"
	}
	return ""
}

// compiles is what a compiler makes of its standard input, nil where it does not read that, or
// where it is a source that only computes. A program of input is as bad as the input.
func (w *environment) compiles(s *state, c *call, program string) *stream {
	lang := compilerOf(program)
	if lang == "" ||
		!slices.ContainsFunc(c.words, func(a Word) bool { return a.Text == "-" }) {
		return nil
	}
	in := s.input()
	switch text, ok := in.whole(); {
	case ok && opaque(lang, text):
		return &stream{from: Stdin, why: "what " + program + " makes of its input"}
	case !ok && in.source() != File:
		return &stream{from: in.source(), why: "what " + program + " makes of its input"}
	}
	return nil
}

// computes reports whether a file with a text, taken for a source, is a program that only computes.
// A name that says nothing of the language is read as each.
func computes(name, text string) bool {
	if lang := compiledBy(name); lang != "" {
		return !opaque(lang, text)
	}
	return !opaque("c", text) && !opaque("go", text) && !opaque("rust", text)
}

// opaque reports whether a text has a word with which a program does more than compute.
func opaque(lang, text string) bool {
	_, more := code.Scan(lang, text)
	return more
}
