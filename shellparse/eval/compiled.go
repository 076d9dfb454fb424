package eval

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/code"
)

// compilerOf is the language that a compiler takes its input for; "" for another program.
func compilerOf(program string) string {
	switch program {
	case "gcc", "g++", "cc", "c++", "clang", "clang++", "tcc":
		return "c"
	case "rustc":
		return "rust"
	}
	return ""
}

// compiled is the language that compilers take a file for, by its ending. What a word of machine
// code does, and that of a language which is not read, stays unknown: "".
func compiled(ending string) (lang string, ok bool) {
	switch ending {
	case ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp":
		return "c", true
	case ".go":
		return "go", true
	case ".rs":
		return "rust", true
	case ".mod":
		return "mod", true
	case ".s", ".S", ".asm", ".ld", ".syso", ".work", ".f", ".f90", ".m", ".mm", ".d", ".zig",
		".hs", ".swift", ".java", ".nim", ".ml", ".pas", ".i", ".ii", ".ll", ".o", ".a", ".so",
		".toml", ".cmake", ".mk":
		return "", true
	}
	return "", false
}

// compiles is what a compiler makes of its standard input, nil where it does not read that, or
// where it is a source that only computes. A program of input is as bad as the input.
func (w *environment) compiles(s *state, c *call, program string) *stream {
	lang := compilerOf(program)
	if lang == "" {
		return nil
	}
	in := (*stream)(nil)
	for i, a := range c.words {
		if f := behind(c.args[i]); f != nil {
			in = f
		} else if a.Text == "-" || slices.Contains(inputNames, a.Text) {
			in = s.input()
		}
	}
	if in == nil {
		return nil
	}
	switch text, ok := in.whole(); {
	case ok && (opaque(lang, text) || !plainWords(c.words[1:])):
		return &stream{from: Stdin, why: "what " + program + " makes of its input"}
	case !ok && in.source() != File:
		return &stream{from: in.source(), why: "what " + program + " makes of its input"}
	}
	return nil
}

// plainWords reports whether the words of a compiler are such as leave to its input what it says.
func plainWords(words []Word) bool {
	for i, a := range words {
		before := ""
		if i > 0 {
			before = words[i-1].Text
		}
		switch text := a.Text; {
		case before == "-o", text == "-o", text == "-x", text == "c" || text == "c++",
			text == "-xc" || text == "-xc++", text == "-", strings.HasPrefix(text, "/"),
			strings.HasPrefix(text, "-O"), strings.HasPrefix(text, "-g"),
			strings.HasPrefix(text, "-l"), strings.HasPrefix(text, "-std="),
			strings.HasPrefix(text, "-W") && !strings.Contains(text, ","):
		default:
			return false
		}
	}
	return true
}

// Computes reports whether a file, taken for a source, is a program that only computes and prints.
// A name that says nothing of the language is read as each.
func (f Written) Computes() bool {
	switch lang, ok := compiled(path.Ext(f.Name)); {
	case lang == "mod": // what replaces a module is a folder somewhere
		return !strings.Contains(f.Text, "replace") && !strings.Contains(f.Text, "tool")
	case ok:
		return lang != "" && !opaque(lang, f.Text)
	}
	return !opaque("c", f.Text) && !opaque("go", f.Text) && !opaque("rust", f.Text)
}

// opaque reports whether a text has a word with which a program does more than compute.
func opaque(lang, text string) bool {
	_, more := code.Scan(lang, text)
	return more
}
