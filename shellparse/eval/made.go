package eval

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/code"
)

// builders make a program out of the sources that are there.
var builders = []string{"gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "go",
	"rustc", "cargo", "zig", "swiftc", "ghc", "javac", "tsc", "esbuild", "make", "cmake",
	"ninja", "nim", "dmd", "fpc", "gfortran", "ocamlfind", "ocamlopt", "nasm", "as", "tcc"}

// sources are the endings of what builders read.
const sources = " C S asm c cc cpp cs cxx d f f90 go h hpp hs java kt m ml nim pas rs " +
	"s scala swift ts zig "

// formatters change how a source looks, not what it does.
var formatters = []string{"gofmt", "goimports", "gofumpt", "black", "isort", "ruff", "yapf",
	"autopep8", "prettier", "eslint", "biome", "rustfmt", "clang-format", "shfmt", "dos2unix"}

// editors change a file in place as the line says.
var editors = []string{"sed", "perl", "ruby"}

// compiled is what a builder makes. It is as trustworthy as the worst source that the line itself
// brought: a compiler would hide what was just downloaded or decoded, or is told in a language that
// nothing here reads. Other sources were there before, and running what is made of them is running
// the project's own program.
func (w *environment) compiled(s *state, program string) *stream {
	for i := range s.files {
		f := &s.files[i].flow
		switch from := f.source(); from {
		case Network, Decoded, Stdin:
			return &stream{from: from, why: f.why}
		case Literal:
			text, whole := f.whole()
			_, ending, _ := strings.Cut(base(s.files[i].name), ".")
			if lang := ending; whole && strings.Contains(sources, " "+lang+" ") {
				if facts, opaque := code.Scan(lang, text); opaque || len(facts) > 0 {
					return &stream{from: Unknown, why: "what " + program + " makes of " + lang}
				}
			}
		}
	}
	return &stream{from: File, name: program}
}
