package pathguard

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// What a line builds of files that are there, or spells out, is no code from outside.

// editsLittle reports whether a command is sed with one replacement by words: what a file says
// afterwards is what it said before, or what the line shows. Two replacements can be a riddle.
func (j *judgement) editsLittle(cmd int) bool {
	for i := range j.script.Commands {
		if i != cmd && path.Base(j.script.Commands[i].Name) == "sed" {
			return false
		}
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
// one, where both are words, and OLD is long enough to be one that somebody wrote.
func replacesWords(text string) bool {
	text = strings.TrimLeft(text, "0123456789")
	if len(text) < 4 || text[0] != 's' || strings.IndexByte("/|#,:@", text[1]) < 0 {
		return false
	}
	parts := strings.Split(text[2:], text[1:2])
	return len(parts) == 3 && (parts[2] == "" || parts[2] == "g") && len(parts[0]) >= 3 &&
		parts[1] != "" && isWords(parts[0]) && isWords(strings.ReplaceAll(parts[1], ".", ""))
}

// isWords reports whether a text has letters, digits and what stands between words and numbers, and
// nothing that a regular expression, a shell or an interpreter takes for more.
func isWords(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return (r|0x20 < 'a' || r|0x20 > 'z') && !strings.ContainsRune("0123456789_ ,=:+-", r)
	})
}

// built reports whether a command runs what a compiler makes of files that are there already: that
// is no other than running the project's own program. What the same line writes could be among the
// sources: then it has to be spelled out and only compute, or be data.
func (j *judgement) built(cmd int) bool {
	made, told := false, false
	for i := range j.script.Effects {
		e := &j.script.Effects[i]
		switch {
		case leaves(e):
			return false
		case e.Right != command.Write || j.harmless(i) || j.housekeeping(e):
		case e.Command == cmd && cmd >= 0: // of what runs then
		case j.by(e.Command, builders...) || j.by(e.Command, formatters...) ||
			j.by(e.Command, "sed") && j.editsLittle(e.Command):
			made = made || e.Command < cmd
		case j.onlyComputes(i):
			told = told || !j.isData(i)
		case j.isData(i):
		default:
			return false
		}
	}
	return made && j.ownInputs(told)
}

// afterBuild reports whether a command runs what a compiler of the line puts there.
func (j *judgement) afterBuild(cmd int) bool {
	return slices.ContainsFunc(j.plan.Targets, func(t resolve.Target) bool {
		return t.Command == cmd && t.Right == command.Exec && slices.ContainsFunc(j.plan.Targets,
			func(w resolve.Target) bool {
				return w.Right == command.Write && w.Command < cmd && !w.Unknown &&
					w.Path() == t.Path() && j.by(w.Command, builders...)
			})
	})
}

// justBuilt reports whether a file that is executed is what a compiler of the same line puts
// there: go build -o /tmp/x . && /tmp/x.
func (j *judgement) justBuilt(t *resolve.Target, full string) bool {
	for i := range j.plan.Targets {
		w := &j.plan.Targets[i]
		if w.Right == command.Write && w.Command < t.Command && !w.Unknown &&
			w.Path() == full && j.by(w.Command, builders...) {
			return j.built(t.Command)
		}
	}
	return j.inNewEnvironment(t, full)
}

// justTold reports whether a file that is executed has the text that the same line writes into it,
// which was read and judged like any other program of the line: cat > /tmp/x.py <<'E' ... E;
// python3 /tmp/x.py. A file of another user in its place would stay what it is.
func (j *judgement) justTold(t *resolve.Target, full string) bool {
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
