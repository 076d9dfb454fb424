package pathguard

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse/code"
	"github.com/tada-run/tada-run/shellparse/command"
)

// What a line writes and a compiler of the same line may take for a source.

// builders make a program out of the sources of the workspace.
var builders = []string{"gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "go",
	"rustc", "cargo", "zig", "swiftc", "ghc", "javac", "tsc", "esbuild", "make", "cmake",
	"ninja", "nim", "dmd", "fpc", "gfortran", "ocamlfind", "ocamlopt", "nasm", "as", "tcc"}

// onlyComputes reports whether an effect writes a text that the line spells out, and which is a
// program that only computes if it is taken for a source.
func (j *judgement) onlyComputes(effect int) bool {
	t := j.output(effect)
	if t == nil || !j.tells(t.Path(), len(j.script.Effects)) {
		return false
	}
	for _, f := range j.script.Written {
		if f.Name == t.Path() && !f.Computes {
			return false
		}
	}
	return true
}

// isData reports whether an effect writes a file of data, that no compiler of the line is given.
func (j *judgement) isData(effect int) bool {
	t := j.output(effect)
	return t != nil && code.IsData(t.Path()) &&
		!slices.ContainsFunc(j.plan.Targets, func(r resolve.Target) bool {
			return r.Right != command.Write && r.Path() == t.Path() &&
				j.by(r.Command, builders...)
		})
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

// defines reports whether an option of a compiler could give a word of a source another meaning, or
// take another file in.
func (j *judgement) defines() bool {
	for i := range j.script.Commands {
		if !j.by(i, builders...) {
			continue
		}
		for _, w := range j.script.Commands[i].Args[1:] {
			_, c := code.Scan("c", w.Text)
			_, rust := code.Scan("rust", w.Text)
			if !w.Static || c || rust || strings.HasPrefix(w.Text, "-i") ||
				strings.HasPrefix(w.Text, "@") {
				return true
			}
		}
	}
	return false
}

// makes reports whether the line writes a file before an effect: a key that it makes is no secret
// that was there before.
func (j *judgement) makes(full string, effect int) bool {
	return slices.ContainsFunc(j.plan.Targets, func(w resolve.Target) bool {
		return (w.Right == command.Write || w.Right == command.Create) && !w.Unknown &&
			w.Flags&command.Link == 0 && w.Path() == full && w.Effect < effect
	})
}

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
