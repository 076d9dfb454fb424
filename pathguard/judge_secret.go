package pathguard

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// A secret of the workspace may be read unasked if it stays one: a program of the system works with
// it and shows no part of it, or copies it to a name that is guarded like its own. The sandbox
// opens it to the whole line, so nothing else in that may read it.

// staysSecret reports whether a command reads a secret of the workspace that stays one.
func (j *judgement) staysSecret(t *resolve.Target, f *finding) bool {
	if j.inner || !plainFileOf(t) || f.where[InSecret] != t.Path() || !j.inside(t.Path()) ||
		!j.bySystem(t.Command) || !j.onlyTells() {
		return false
	}
	if t.Flags&command.Uses != 0 {
		return j.readBy(t.Path(), t.Command, command.Uses)
	}
	if !j.by(t.Command, copiers...) || !j.copiesPlainly(t.Command) ||
		t.Flags&^command.NoFollow != 0 || !j.readBy(t.Path(), t.Command, 0) {
		return false
	}
	if j.by(t.Command, "cat") {
		w := j.onlyOutput(t.Command)
		return w != nil && j.keepsSecret(w, w.Path(), t.Command)
	}
	copies := 0
	for i := range j.plan.Targets {
		w := &j.plan.Targets[i]
		if w.Command != t.Command || w.Right == command.Read || w.Right == command.Delete ||
			w.Right == command.Exec {
			continue
		}
		name := w.Path()
		if w.Exists && w.Mode.IsDir() && j.by(t.Command, "mv") {
			name = pathname.Join(name, path.Base(t.Path()))
		}
		if !j.keepsSecret(w, name, t.Command) {
			return false
		}
		copies++
	}
	return copies > 0
}

// copiers put all that they read into the files that they write, and print it if there are none.
var copiers = []string{"cat", "cp", "install", "mv"}

// copiesPlainly reports whether a copier keeps nothing of what it replaces under another name, and
// makes no links.
func (j *judgement) copiesPlainly(cmd int) bool {
	return !slices.ContainsFunc(j.script.Commands[cmd].Args, func(w shellparse.Word) bool {
		return !w.Static && !w.Glob || strings.HasPrefix(w.Text, "-") &&
			strings.Trim(w.Text, "-DTafimnptuv0123456789") != ""
	})
}

// plainFileOf reports whether a target is one file, or may become one, under its own name.
func plainFileOf(t *resolve.Target) bool {
	return namesOne(t) && (!t.Exists || t.Mode.IsRegular())
}

// namesOne reports whether a target is what its name says, and nothing below it.
func namesOne(t *resolve.Target) bool {
	return t.Kind == walk.Plain && !t.Unknown && !t.Glob && len(t.Links) == 0 &&
		t.Flags&(command.Recursive|command.Below|command.Possible) == 0
}

// keepsSecret reports whether a command that writes a target, under a name, puts there what is
// guarded as a secret of the workspace and what nothing else in the line reads.
func (j *judgement) keepsSecret(w *resolve.Target, name string, cmd int) bool {
	return w.Right == command.Write && w.Flags&(command.Link|command.Meta) == 0 &&
		namesOne(w) && (w.Path() != name || !w.Exists || w.Mode.IsRegular()) && w.Linked == 0 &&
		j.inside(name) && j.marked(name, markSecret) && j.readBy(name, cmd, 0) &&
		!published(name[len(j.plan.Workspace):])
}

// published reports whether a name is in a folder that is made for publication.
func published(rel string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(rel), "/"), command.IsPublished)
}

// onlyOutput is the file that all of the output of a command goes to: the only one that the line
// sends any to, behind the last word of the command. It is nil if there is none.
func (j *judgement) onlyOutput(cmd int) *resolve.Target {
	var w *resolve.Target
	for i := range j.plan.Targets {
		switch t := &j.plan.Targets[i]; {
		case t.Command >= 0 || t.Right == command.Read:
		case w != nil:
			return nil
		default:
			w = t
		}
	}
	text := j.script.Text
	if w == nil || strings.Contains(text, ">&") || strings.Contains(text, "&>") {
		return nil
	}
	from, to := j.script.Commands[cmd].Span.End, j.span(w.Effect).Start
	if from >= to || to > len(text) || text[from] != ' ' {
		return nil
	}
	if sign := strings.Trim(text[from:to], " "); sign != ">" && sign != ">>" {
		return nil
	}
	return w
}

// bySystem reports whether a command is a program of the system with the environment that the shell
// has, or a program that is nowhere.
func (j *judgement) bySystem(cmd int) bool {
	if cmd < 0 || cmd >= len(j.script.Commands) {
		return false
	}
	c := &j.script.Commands[cmd]
	if c.Builtin || c.Remote || c.Changed || len(c.Via) > 0 || len(c.Assign) > 0 {
		return false
	}
	return slices.ContainsFunc(j.plan.Programs, func(p resolve.Program) bool {
		same := p.Command == cmd || p.Command >= 0 && !strings.Contains(c.Name, "/") &&
			j.script.Commands[p.Command].Name == c.Name // one is found for all of them
		return same && p.Shadow == "" && p.Real != "" && pathname.IsSystem(p.Real)
	})
}

// onlyTells reports whether the line tells everything that it does, and contacts nothing.
func (j *judgement) onlyTells() bool {
	s := j.script
	reads := func(g resolve.Glob) bool { return s.Effects[g.Effect].Flags&command.List == 0 }
	if len(s.Opaque)+len(s.Codes)+len(j.plan.Limits) > 0 ||
		slices.ContainsFunc(j.plan.Globs, reads) {
		return false
	}
	for i := range s.Commands {
		if c := &s.Commands[i]; !c.Known || !c.Builtin && !j.bySystem(i) || !j.tellsReads(i) {
			return false
		}
	}
	for i := range s.Effects {
		if e := &s.Effects[i]; e.Right == command.Net || e.Flags&command.Source != 0 {
			return false
		}
	}
	return true
}

// beside are programs that read what their words say, and nothing that is in a file that they read.
var beside = []string{"[", "basename", "cat", "cd", "chmod", "cp", "cut", "dirname", "echo",
	"false", "head", "install", "ls", "md5sum", "mkdir", "mv", "printf", "pwd", "rm", "rmdir",
	"sha256sum", "ssh-keygen", "stat", "tail", "tee", "test", "touch", "tr", "true"}

// Of openssl, these are commands of which that is true; those of git show nothing of a file.
var (
	besideOpenssl = []string{"base64", "dgst", "dsa", "ec", "genpkey", "genrsa", "md5", "pkey",
		"req", "rsa", "sha1", "sha256", "version", "x509"}
	besideGit = []string{"check-ignore", "ls-files", "status"}
)

// tellsReads reports whether a command is one of those.
func (j *judgement) tellsReads(cmd int) bool {
	c := &j.script.Commands[cmd]
	list := besideGit
	switch program := path.Base(c.Name); program {
	case "git":
	case "openssl":
		list = besideOpenssl
	default:
		return slices.Contains(beside, program)
	}
	return len(c.Args) > 1 && c.Args[1].Static && slices.Contains(list, c.Args[1].Text)
}

// readBy reports whether nothing but a command, or a read with a flag, reads a file or makes
// another file of its name.
func (j *judgement) readBy(full string, cmd int, flag command.Flags) bool {
	return !slices.ContainsFunc(j.plan.Targets, func(t resolve.Target) bool {
		if t.Command == cmd || !pathname.Within(full, t.Path()) {
			return false
		}
		switch a := actionOf(&t); {
		case t.Unknown:
			return true
		case a == ToRead, a == ToExecute:
			above := t.Path() != full && t.Flags&(command.Recursive|command.Below) == 0
			return !above && t.Flags&flag == 0
		case t.Path() != full:
			return t.Flags&(command.Recursive|command.Below) != 0 && a >= ToWrite
		}
		return t.Flags&command.Link != 0 || j.by(t.Command, "cp", "mv", "ln", "link")
	})
}
