package eval

import (
	"path"
	"slices"

	"github.com/tada-run/tada-run/shellparse/code"
)

// compilers make a program of the files that they are given. The value is the language that they
// take their input for.
var compilers = map[string]string{"gcc": "c", "g++": "c", "cc": "c", "c++": "c", "clang": "c",
	"clang++": "c", "tcc": "c", "rustc": "rust"}

// compiled are the languages that compilers take, by the endings of files.
var compiled = map[string]string{".c": "c", ".h": "c", ".cc": "c", ".cpp": "c", ".cxx": "c",
	".hpp": "c", ".s": "c", ".S": "c", ".go": "go", ".rs": "rust"}

// compiles is what a compiler makes of its standard input, nil where it does not read that, or where
// it is a source that only computes. A program of input is as bad as the input.
func (w *environment) compiles(s *state, c *call, program string) *stream {
	lang, ok := compilers[program]
	if !ok || !slices.ContainsFunc(c.words, func(a Word) bool { return a.Text == "-" }) {
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
	if lang, ok := compiled[path.Ext(name)]; ok {
		return !opaque(lang, text)
	}
	return !opaque("c", text) && !opaque("go", text) && !opaque("rust", text)
}

// opaque reports whether a text has a word with which a program does more than compute.
func opaque(lang, text string) bool {
	_, more := code.Scan(lang, text)
	return more
}
