package pathguard

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
	"github.com/tada-run/tada-run/shellparse/command"
)

// What is executed from a directory for temporary files is the workspace's own code if its runs
// made it, if an agent's folder for such files has it, or if the line itself spells it out or
// builds it. Anything else there is code from outside.

// ownTemporary reports whether a target in a directory for temporary files is own code.
func (j *judgement) ownTemporary(t *resolve.Target, full string) bool {
	if j.justBuilt(t, full) || j.justTold(t, full) || j.inNewDirectory(t, full) {
		return true
	}
	for i := range j.plan.Targets { // the program of a command is an effect of the text as well
		if e := &j.plan.Targets[i]; t.Effect < 0 && e.Right == command.Exec &&
			e.Command == t.Command && e.Path() == full {
			t = e
		}
	}
	switch {
	case t.Unknown, len(t.Links) > 0, j.writesNear(full):
		return false
	case !t.Exists: // another account may put something there
		return !t.Glob && t.Flags&(command.List|command.Recursive) == 0 && inScratch(full) &&
			(t.Own || pathname.IsTemp(t.Real))
	case !t.Own, t.Mode.Perm()&0o022 != 0, !t.Mode.IsRegular():
		return false
	}
	wrote := j.plan.Caller.Wrote
	return inScratch(full) || wrote != nil && wrote(t.File())
}

// inScratch reports whether a file is in a folder that an agent's program makes for what its
// commands leave.
func inScratch(full string) bool {
	for f := range agents.Of("scratch") {
		for dir := path.Dir(full); len(dir) > 1; dir = path.Dir(dir) {
			if ok, _ := path.Match(f.Text(), dir); ok {
				return true
			}
		}
	}
	return false
}

// writesNear reports whether the line may change what is in the folder of a file in a directory for
// temporary files, or above it: then the file is not what a run has left there.
func (j *judgement) writesNear(full string) bool {
	return slices.ContainsFunc(j.plan.Targets, func(w resolve.Target) bool {
		if w.Right == command.Read || w.Right == command.Exec || w.Right == command.Net ||
			w.Flags&(command.Meta|command.Possible) != 0 {
			return false
		}
		return w.Unknown && (w.Real == "" || pathname.WithinAny(w.Real, pathname.TempDirs)) ||
			pathname.Within(full, w.Path()) || pathname.Within(w.Path(), path.Dir(full)) &&
			!pathname.IsTemp(path.Dir(full))
	})
}

// copiers put into a new directory what is in the workspace, or what they know by themselves.
var copiers = []string{"cp", "mkdir", "touch", "npm", "pnpm", "yarn", "go"}

// inNewDirectory reports whether what is executed is in a directory that mktemp(1) makes in the
// same line, into which the line puts files of the workspace alone.
func (j *judgement) inNewDirectory(t *resolve.Target, full string) bool {
	name, _, inside := strings.Cut(t.Missing, "/")
	if t.Exists || t.Unknown || !inside || !pathname.IsTemp(t.Real) ||
		!slices.ContainsFunc(j.script.Commands[:max(t.Command, 0)], makesName(name)) {
		return false
	}
	for i := range j.script.Effects {
		if leaves(&j.script.Effects[i]) {
			return false
		}
	}
	dir := pathname.Join(t.Real, name)
	for i := range j.plan.Targets {
		w := &j.plan.Targets[i]
		by := ""
		if w.Command >= 0 && w.Command < len(j.script.Commands) {
			by = j.script.Commands[w.Command].Name
		}
		switch {
		case w.Right == command.Net, w.Flags&command.Meta != 0, w.Right == command.Delete:
		case w.Right == command.Read || w.Right == command.Exec:
			if by == "cp" && !j.inside(w.Path()) && !pathname.Within(w.Path(), dir) {
				return false
			}
		case !pathname.Within(w.Path(), dir) && !pathname.Within(dir, w.Path()):
		case !slices.Contains(copiers, by):
			return false
		}
	}
	return true
}

// makesName returns what reports whether a command is mktemp(1) with a template.
func makesName(template string) func(shellparse.Command) bool {
	return func(c shellparse.Command) bool {
		return c.Name == "mktemp" && (template == "tmp.XXXXXXXXXX" ||
			slices.ContainsFunc(c.Args, func(w shellparse.Word) bool {
				return path.Base(w.Text) == template
			}))
	}
}

// runsOwn reports whether the program of a command is code of the workspace, or a temporary file.
func (j *judgement) runsOwn(cmd int) bool {
	return slices.ContainsFunc(j.plan.Targets, func(e resolve.Target) bool {
		return e.Right == command.Exec && e.Command == cmd && !e.Unknown &&
			(j.inside(e.Path()) || pathname.WithinAny(e.Path(), pathname.TempDirs))
	})
}

// builders make a program out of the sources of the workspace.
var builders = []string{"gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "go",
	"rustc", "cargo", "zig", "swiftc", "ghc", "javac", "tsc", "esbuild", "make", "cmake",
	"ninja", "nim", "dmd", "fpc", "gfortran", "ocamlfind", "ocamlopt", "nasm", "as", "tcc"}

// formatters change how a source looks, not what it does.
var formatters = []string{"gofmt", "goimports", "gofumpt", "black", "isort", "ruff", "yapf",
	"autopep8", "prettier", "rustfmt", "clang-format", "shfmt"}

// editsLittle reports whether a command is sed with one replacement by words: what a file says
// afterwards is what it said before, or what the line shows. Two replacements can be a riddle.
func (j *judgement) editsLittle(cmd int, by string) bool {
	if by != "sed" || cmd < 0 {
		return false
	}
	scripts := 0
	for i, w := range j.script.Commands[cmd].Args {
		switch {
		case i == 0:
		case !w.Static:
			return false
		case w.Text == "-i" || w.Text == "-E" || w.Text == "-r":
		case replacesWords(w.Text):
			scripts++
		case strings.HasPrefix(w.Text, "-"), strings.ContainsAny(w.Text, "\n;{}\\"):
			return false
		}
	}
	return scripts == 1
}

// replacesWords reports whether a program of sed(1) is s/OLD/NEW/ or s/OLD/NEW/g, for all lines or
// one, where NEW has nothing that a shell or an interpreter takes for more than words.
func replacesWords(text string) bool {
	text = strings.TrimLeft(text, "0123456789")
	if len(text) < 4 || text[0] != 's' || strings.IndexByte("/|#,:@", text[1]) < 0 {
		return false
	}
	parts := strings.Split(text[2:], text[1:2])
	return len(parts) == 3 && (parts[2] == "" || parts[2] == "g") &&
		!strings.ContainsFunc(parts[1], func(r rune) bool {
			return !isLetter(byte(min(r, 127))) && !strings.ContainsRune("0123456789 .,=:+-\"'", r)
		})
}

// built reports whether a command runs what a compiler makes of files that are there
// already: that is no other than running the project's own program. What the same line
// writes or fetches could be among the sources, and then it is another matter.
func (j *judgement) built(cmd int) bool {
	made := false
	for i := range j.script.Effects {
		e := &j.script.Effects[i]
		by := ""
		if e.Command >= 0 && e.Command < len(j.script.Commands) {
			by = path.Base(j.script.Commands[e.Command].Name)
		}
		switch {
		case leaves(e):
			return false
		case e.Right != command.Write || j.harmless(i) || j.housekeeping(e):
		case e.Command == cmd && e.Flags&command.Possible != 0: // of what runs then
		case !slices.Contains(builders, by) && !slices.Contains(formatters, by) &&
			!j.editsLittle(e.Command, by):
			return false
		case e.Command < cmd:
			made = true
		}
	}
	return made
}

// justBuilt reports whether a file that is executed is what a compiler of the same line puts
// there: go build -o /tmp/x . && /tmp/x.
func (j *judgement) justBuilt(t *resolve.Target, full string) bool {
	for i := range j.plan.Targets {
		w := &j.plan.Targets[i]
		if w.Right == command.Write && w.Command >= 0 && w.Command < t.Command && !w.Unknown &&
			w.Path() == full && slices.Contains(builders,
			path.Base(j.script.Commands[w.Command].Name)) {
			return j.built(t.Command)
		}
	}
	return j.inNewEnvironment(t, full)
}

// justTold reports whether a file that is executed has the text that the same line writes into it,
// which was read and judged like any other program of the line: cat > /tmp/x.py <<'E' ... E;
// python3 /tmp/x.py. A file of another user in its place would stay what it is.
func (j *judgement) justTold(t *resolve.Target, full string) bool {
	for i := range j.plan.Targets { // the program of a command is an effect of the text as well
		if e := &j.plan.Targets[i]; t.Effect < 0 && e.Right == command.Exec &&
			e.Command == t.Command && e.Path() == full {
			t = e
		}
	}
	if t.Exists && !(t.Own && t.Mode.IsRegular()) || len(t.Links) > 0 {
		return false
	}
	span := j.span(t.Effect)
	for i := range j.script.Codes {
		if c := &j.script.Codes[i]; c.Command == t.Command && c.Span == span &&
			c.Source != shellparse.Literal {
			return false
		}
	}
	for i := range j.script.Opaque {
		if o := &j.script.Opaque[i]; o.Command == t.Command && o.Span == span {
			return false
		}
	}
	return j.tells(full, t.Effect)
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
		case w.Right == command.Read || w.Right == command.Exec || w.Right == command.Net ||
			w.Flags&command.Meta != 0:
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

// inNewEnvironment reports whether a program is in a Python environment that the same line makes
// where nothing was before, and into which no other command of the line puts anything by name.
func (j *judgement) inNewEnvironment(t *resolve.Target, full string) bool {
	made := ""
	for i := range j.plan.Targets {
		w := &j.plan.Targets[i]
		if w.Right == command.Create && !w.Exists && !w.Unknown && w.Command >= 0 &&
			w.Command < t.Command &&
			slices.Contains(venvMakers, path.Base(j.script.Commands[w.Command].Name)) &&
			pathname.Within(full, w.Path()+"/bin") {
			made = w.Path()
		}
	}
	if made == "" {
		return false
	}
	for i := range j.plan.Targets {
		if w := &j.plan.Targets[i]; w.Right != command.Read && w.Right != command.Exec &&
			pathname.Within(w.Path(), made) && w.Path() != made {
			return false
		}
	}
	return true
}

var venvMakers = []string{"venv", "virtualenv"}
