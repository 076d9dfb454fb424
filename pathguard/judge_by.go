package pathguard

import (
	"strings"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// Which commands do what, and what they leave in files.

// builders make a program out of the sources of the workspace.
var builders = []string{"gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "go",
	"rustc", "cargo", "zig", "swiftc", "ghc", "javac", "tsc", "esbuild", "make", "cmake",
	"ninja", "nim", "dmd", "fpc", "gfortran", "ocamlfind", "ocamlopt", "nasm", "as", "tcc"}

// formatters change how a source looks, not what it does.
var formatters = []string{"gofmt", "goimports", "gofumpt", "black", "isort", "ruff", "yapf",
	"autopep8", "prettier", "rustfmt", "clang-format", "shfmt"}

// tells reports whether everything that the line puts into a file is spelled out in the line,
// before an effect.
func (j *judgement) tells(full string, effect int) bool {
	told := 0
	for _, f := range j.script.Written {
		if f.Name == full {
			told++
		}
	}
	if told == 0 {
		return false
	}
	for i := range j.plan.Targets {
		w := &j.plan.Targets[i]
		switch {
		case w.Right == command.Delete || !alters(w):
		case w.Right == command.Write && w.Flags == 0 && w.Path() == full && !w.Unknown &&
			w.Effect < effect:
			told--
		case pathname.Within(full, w.Path()) &&
			(w.Path() == full || w.Unknown || w.Flags&command.Recursive != 0):
			return false
		}
	}
	return told == 0
}

// leaves reports whether an effect contacts another machine, or one that is not known.
func leaves(e *shellparse.Effect) bool {
	return e.Right == command.Net &&
		(e.Net == nil || !e.Net.Static || !hosts.IsLoopback(strings.ToLower(e.Net.Host)))
}

// housekeeping reports whether an effect belongs to the text that an agent's program puts around
// the agent's command: the program notes the directory in a file of its own. Rules about everything
// that a line writes do not count it.
func (j *judgement) housekeeping(e *shellparse.Effect) bool {
	w := j.script.Wrapped
	return w != nil && !e.Span.In(w.Start, w.End)
}

// output is the one file that an effect writes; nil if that is not certain.
func (j *judgement) output(effect int) (found *resolve.Target) {
	for i := range j.plan.Targets {
		switch t := &j.plan.Targets[i]; {
		case t.Effect != effect:
		case found != nil, t.Unknown, t.Glob, t.Flags&command.Recursive != 0:
			return nil
		default:
			found = t
		}
	}
	return found
}
