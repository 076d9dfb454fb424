package launcher

import (
	"crypto/sha256"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/environ"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
	"github.com/tada-run/tada-run/shellparse/command"
)

// The text around an agent's command is left out of the plan that a person judges. An agent can
// write such a text itself, so its words are not enough: the files that it names must be the
// program's own, and nothing but commands of the shell may run in it.

// isTidy reports whether the text around a command starts nothing and touches nothing but what its
// program has for itself.
func (j *Judgement) isTidy() bool {
	first, end := carriers(j.Script, j.Script.Wrapped)
	return j.startsNothing(first, end) && j.touchesItsOwn() &&
		!slices.ContainsFunc(j.Script.Wrapped.Names["folder"], j.isOpen)
}

// isOpen reports whether commands of this workspace could put programs into a folder: it is theirs,
// or a cache or other place in which the policy lets them write unasked, or it is reached through a
// descriptor.
func (j *Judgement) isOpen(dir string) bool {
	clean := filepath.Clean(dir)
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = clean
	}
	guard := pathguard.Guard{Policy: j.policy, Caller: j.Plan.Caller}
	return !filepath.IsAbs(real) || pathname.WithinAny(clean, []string{"/proc", "/dev"}) ||
		j.writable(clean) || j.writable(real) || j.policy.InCache(clean) ||
		j.policy.InCache(real) || unasked(guard, real)
}

// openFolders are those of PATH that look like folders of an agent's program, which the plan does
// not bind, and are none.
func (j *Judgement) openFolders() []string {
	return slices.DeleteFunc(strings.Split(j.environ.vars["PATH"], ":"),
		func(dir string) bool { return !environ.IsMadeUp(dir) || !j.isOpen(dir) })
}

// startsNothing reports whether no program runs but the shells that carry the command, and what
// lists processes.
func (j *Judgement) startsNothing(first, end int) bool {
	w := j.Script.Wrapped
	for i, c := range j.Script.Commands {
		switch carries := first <= i && i < end; {
		case c.Builtin, !carries && c.Span.In(w.Start, w.End), carries && w.Client == "tada-run":
		case carries && shell.Is(c.Name), c.Name == "pgrep" && j.isOfSystem(i):
		default:
			return false
		}
	}
	return true
}

// isOfSystem reports whether the program of a command is none that an ordinary user could have put
// there.
func (j *Judgement) isOfSystem(cmd int) bool {
	return !slices.ContainsFunc(j.Plan.Programs,
		func(p pathguard.Program) bool { return p.Command == cmd && p.Sum != "" })
}

// touchesItsOwn reports whether all that the text around a command writes is notes of its program,
// and all that it loads what that saved.
func (j *Judgement) touchesItsOwn() bool {
	w := j.Script.Wrapped
	notes := w.Names["note"]
	if len(w.Names["snapshot"]) > maxSnapshots {
		return false
	}
	for i := range j.Plan.Targets {
		t := &j.Plan.Targets[i]
		if t.Effect < 0 || j.Plan.Script.Effects[t.Effect].Span.In(w.Start, w.End) {
			continue
		}
		switch {
		case j.isSaved(t) && !j.isWhereSaved(t.Path()):
			return false
		case t.Unknown, t.Glob, t.Right != command.Read && t.Right != command.Write &&
			t.Right != command.Exec:
			return false
		case t.Right == command.Write && t.Path() != os.DevNull &&
			!(slices.Contains(notes, t.Name) && isNote(t)):
			return false
		}
	}
	return true
}

// isNote reports whether a file really has the name that a program gave it: behind a link could be
// anyone's file.
func isNote(t *pathguard.Target) bool {
	name := path.Base(t.Name)
	if path.Base(t.Path()) != name ||
		slices.ContainsFunc(t.Links, func(link string) bool { return path.Base(link) == name }) {
		return false
	}
	if !t.Exists {
		return true
	}
	info, err := os.Lstat(t.Path())
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().IsRegular() && st.Nlink == 1
}

// maxSnapshot bounds what is read of one, in bytes; maxSnapshots how many a text may load. A
// program loads one.
const (
	maxSnapshot  = 8 << 20
	maxSnapshots = 4
)

// isSaved reports whether a text has a file as what an agent's program saved of the shell.
func (j *Judgement) isSaved(t *pathguard.Target) bool {
	w := j.Script.Wrapped
	return t.Right != command.Write && slices.Contains(w.Names["snapshot"], t.Name)
}

// isWhereSaved reports whether a real path is where programs save snapshots. In a session they have
// a folder of their own.
func (j *Judgement) isWhereSaved(real string) bool {
	return j.policy.IsSnapshot(&j.Plan.Caller, real) || j.Request.Within != nil && !j.writable(real)
}

// snapshots is a digest of the saved functions and aliases that a command before could have
// written: what they define may be what runs. Elsewhere they are the person's own, as a start-up
// file of the shell is.
func (j *Judgement) snapshots() string {
	var sums []byte
	var read []string
	for i := range j.Plan.Targets {
		t := &j.Plan.Targets[i]
		name := t.Path()
		if !j.isSaved(t) || slices.Contains(read, name) ||
			j.Request.Within == nil && !j.writable(name) {
			continue
		}
		if read = append(read, name); len(read) > maxSnapshots {
			break // j.touchesItsOwn has refused it
		}
		sum := sha256.New()
		if f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
			_, _ = io.Copy(sum, io.LimitReader(f, maxSnapshot))
			_ = f.Close()
		}
		sums = sum.Sum(sums)
	}
	return string(sums)
}

// writable reports whether commands of this workspace may write a file.
func (j *Judgement) writable(name string) bool {
	return slices.ContainsFunc(append([]string{j.environ.vars["TMPDIR"], j.Plan.Workspace},
		environ.SharedTemp...), func(dir string) bool {
		return dir != "" && pathname.Within(name, filepath.Clean(dir))
	})
}

// saves reports whether a request is the start of an agent's program, which has its shell write
// down functions and aliases for the commands to come. What an agent asks for never comes like
// this: there the text is in a wrapper.
func (r Request) saves() bool {
	if !r.Shell.Login || r.Tool != nil {
		return false
	}
	agent := approval.AgentName(r.Agent, r.Env)
	for f := range agents.Of("saver") {
		if strings.HasPrefix(r.Shell.Text, f.Text()) && agent == approval.AgentName(f.Agent, nil) {
			return true
		}
	}
	return false
}

// carriers are the commands of a text that do nothing but carry the agent's: those from first to
// before end.
func carriers(s *shellparse.Script, w *shellparse.Wrapped) (first, end int) {
	for first < len(s.Commands) && !s.Commands[first].Span.In(w.Start, w.End) {
		first++
	}
	for end = first; end < len(s.Commands) && carries(s.Commands[end], w.Own); {
		end++
	}
	return first, end
}

// carries reports whether a command is what has the agent's command as its last word.
func carries(c shellparse.Command, own string) bool {
	last := len(c.Args) - 1
	return last > 0 && c.Args[last].Static && c.Args[last].Text == own
}
