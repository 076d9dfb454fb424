package pathguard

import (
	"path"
	"slices"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/code"
	"github.com/tada-run/tada-run/shellparse/command"
)

// What a line writes and a compiler of the same line may take for a source.

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

// compiles finds programs that a compiler of the line makes of sources which the line spells out, and
// which do more than compute, where the line runs them: by go run, or by the names that compilers
// choose themselves. One with a name that an option gives is judged as code.
func (j *judgement) compiles() {
	for _, f := range j.script.Written {
		lang := compiledLangs[path.Ext(f.Name)]
		if lang == "" {
			continue
		}
		built := -1
		for i := range j.script.Commands {
			c := &j.script.Commands[i]
			if !j.by(i, builders...) || j.readAsCode(i) {
				continue
			}
			j.spells(f.Text, c.Span, i)
			switch {
			case f.Computes || !j.inside(f.Name) || !pathname.Within(f.Name, c.Dir):
			case runsAtOnce(c):
				j.add(Ask, "code.opaque", "", lang, c.Span, i)
				return
			case built < 0:
				built = i
			}
		}
		for i := range j.plan.Targets {
			t := &j.plan.Targets[i]
			if built >= 0 && t.Right == command.Exec && t.Command > built && j.inside(t.Path()) &&
				(!t.Exists || path.Ext(t.Path()) == "" || path.Ext(t.Path()) == ".out") {
				j.add(Ask, "code.opaque", "", lang, j.script.Commands[t.Command].Span, t.Command)
				return
			}
		}
	}
}

// readAsCode reports whether a command runs a program whose text is judged as code.
func (j *judgement) readAsCode(cmd int) bool {
	return slices.ContainsFunc(j.script.Codes, func(c shellparse.Code) bool {
		return c.Command == cmd && c.Source == shellparse.Literal
	})
}

// compiledLangs are the languages of sources by their endings.
var compiledLangs = map[string]string{".c": "c", ".cc": "c", ".cpp": "c", ".cxx": "c", ".h": "c",
	".hpp": "c", ".s": "c", ".S": "c", ".go": "go", ".rs": "rust", ".hs": "haskell", ".zig": "zig",
	".nim": "nim", ".f90": "fortran", ".f": "fortran", ".swift": "swift", ".d": "d", ".ml": "ocaml",
	".pas": "pascal"}

// runsAtOnce reports whether a compiler runs what it makes.
func runsAtOnce(c *shellparse.Command) bool {
	return slices.ContainsFunc(c.Args[1:min(3, len(c.Args))], func(w shellparse.Word) bool {
		return w.Text == "run" || w.Text == "-r" || w.Text == "-run" || w.Text == "--run"
	})
}

// makes reports whether the line writes a file before an effect: a key that it makes is no secret
// that was there before.
func (j *judgement) makes(full string, effect int) bool {
	return slices.ContainsFunc(j.plan.Targets, func(w resolve.Target) bool {
		return (w.Right == command.Write || w.Right == command.Create) && !w.Unknown &&
			w.Flags&command.Link == 0 && w.Path() == full && w.Effect < effect
	})
}
