package pathguard

import (
	"path"
	"slices"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// compiles finds programs that a compiler of the line makes of sources which the line spells out,
// and which do more than compute, where the line runs them: by go run, or by the names that
// compilers choose themselves. One with a name that an option gives is judged as code.
func (j *judgement) compiles() {
	for _, f := range j.script.Written {
		lang := compiledLang(path.Ext(f.Name))
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
			case f.Computes() || !j.inside(f.Name) || !pathname.Within(f.Name, c.Dir):
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

// runsAtOnce reports whether a compiler runs what it makes.
func runsAtOnce(c *shellparse.Command) bool {
	return slices.ContainsFunc(c.Args[1:min(3, len(c.Args))], func(w shellparse.Word) bool {
		return w.Text == "run" || w.Text == "-r" || w.Text == "-run" || w.Text == "--run"
	})
}

// readAsCode reports whether a command runs a program whose text is judged as code.
func (j *judgement) readAsCode(cmd int) bool {
	return slices.ContainsFunc(j.script.Codes, func(c shellparse.Code) bool {
		return c.Command == cmd && c.Source == shellparse.Literal
	})
}

// compiledLang is the language of a source by the ending of its name; "" for what is none.
func compiledLang(ending string) string {
	switch ending {
	case ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".s", ".S":
		return "c"
	case ".go":
		return "go"
	case ".rs":
		return "rust"
	case ".hs", ".zig", ".nim", ".f90", ".f", ".swift", ".d", ".ml", ".pas":
		return ending[1:]
	}
	return ""
}
