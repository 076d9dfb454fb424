package launcher

import (
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// What an agent's program passes to its shell is the agent's command and a text around it, which
// differs from call to call, from version to version and from entry point to entry point. A person
// judges the command, and an approval must fit the command. So if the text around it is known to do
// nothing but the program's own housekeeping, the plan that is shown and hashed is that of the
// command alone. The whole text is run and recorded, and the sandbox is made for the whole.

// maxLayers is how many texts may surround one command: the shell of a program, and the line of a
// hook in it.
const maxLayers = 3

// ownOf returns the judgement of the agent's command alone. It is nil where the text is no known
// wrapper, and where the whole would do anything that the command alone does not, but for the
// housekeeping.
func (l *Launcher) ownOf(j *Judgement) *Judgement {
	w, req := j.Script.Wrapped, j.Request
	if w == nil || j.Script.Err != nil || req.Tool != nil || req.layers >= maxLayers ||
		req.Shell.Simple(j.shell) != nil || !l.honest(w) || !j.isTidy() ||
		j.runsAtLogin() {
		return nil
	}
	req.layers++
	req.Shell = shell.Call{Text: w.Own, Dialect: req.Shell.Dialect, Flags: req.Shell.Flags,
		Name: req.Shell.Name, Args: req.Shell.Args}
	if shells := w.Names["shell"]; len(shells) == 1 {
		req.Shell = shell.Call{Text: w.Own, Dialect: shell.DialectOf(path.Base(shells[0])),
			Name: shells[0]}
	}
	if w.Client == "tada-run" {
		req.Shell = shell.Call{Text: w.Own, Name: w.Client}
		req.Agent = strings.Join(w.Names["agent"], "")
	}
	if req.Agent == "" {
		req.Agent = w.Client
	}
	var err error
	if req.Env, err = inFront(req.Env, w.Names["folder"]); err != nil {
		return nil
	}
	own, err := l.judgeAs(j.Plan.Caller.Look, req, stdinOf(w, j.stdin))
	if err != nil {
		return nil
	}
	own.settings = j.settings + j.snapshots()
	if !agrees(j, own, w) {
		_ = own.Close()
		return nil
	}
	if own.own = l.ownOf(own); own.own != nil {
		own.Verdict = own.own.Verdict
	}
	return own
}

// runsAtLogin reports whether the shell that carries a command is a login shell, with a home in
// which commands could have put what it runs first.
func (j *Judgement) runsAtLogin() bool {
	return len(j.Script.Wrapped.Names["login"]) > 0 && j.isOpen(lastOf(j.Request.Env, "HOME"))
}

// through says what surrounded the command, "" for nothing.
func (j *Judgement) through() string {
	var layers []string
	for at := j; at.own != nil; at = at.own {
		switch client := at.Script.Wrapped.Client; client {
		case "tada-run":
			layers = append(layers, "the hook of tada-run")
		default:
			layers = append(layers, "the shell wrapper of "+client)
		}
	}
	return strings.Join(layers, " and ")
}

// stdinOf is what kind of file the agent's command reads.
func stdinOf(w *shellparse.Wrapped, stdin string) string {
	if w.Null || w.Idle && stdin == "socket" { // no one writes to it
		return "null"
	}
	return stdin
}

// honest reports whether the line of a hook names this program and this state.
func (l *Launcher) honest(w *shellparse.Wrapped) bool {
	if w.Client != "tada-run" {
		return true
	}
	if homes := w.Names["home"]; len(homes) > 0 &&
		filepath.Clean(homes[0]) != filepath.Clean(l.state.Dir) {
		return false
	}
	return shell.IsSelf(strings.Join(w.Names["runner"], ""))
}

// around adds to the sandbox of a command what the text around it needs: it writes files of the
// agent's program, and reads what was saved when that started. A sandbox that is not exact already
// has both.
func (j *Judgement) around(f *pathguard.Fence) {
	w, whole := j.Script.Wrapped, j.fence()
	f.Reveal = append(f.Reveal, whole.Reveal...)
	if !f.Exact {
		return
	}
	for _, name := range w.Names["note"] {
		for _, g := range whole.Write {
			if !g.Tree && filepath.Join(g.Path, g.Missing) == name {
				f.Write = append(f.Write, g)
			}
		}
	}
}

// agrees reports whether a whole and the command in it get the same judgement, and start and touch
// the same.
func agrees(whole, own *Judgement, w *shellparse.Wrapped) bool {
	// In the whole, the command is in text that is evaluated, and undo stands for no question about
	// what a reader does not see. A whole that names nothing, as a mere eval, is no program's text.
	stands := own.Verdict.Stands && len(w.Names) > 0
	if own.Script.Err != nil || !stands &&
		(whole.Verdict.Decision != own.Verdict.Decision || whole.Verdict.Risk != own.Verdict.Risk) {
		return false
	}
	for _, r := range whole.Verdict.Reasons {
		if r.Decision == pathguard.Allow {
			continue
		}
		if r.Span.Start < w.Start || r.Span.End > w.End || stands && !pathguard.StandsFor(r.Rule) {
			return false
		}
	}
	commands, effects := carried(whole.Script, w)
	return slices.EqualFunc(once(commands), once(own.Script.Commands), same) &&
		slices.Equal(each(effects), each(own.Script.Effects))
}

// lately is how far back a script looks for a command that it has already, in a text that has one
// span.
const lately = 32

// once is a list without the commands that the whole does not say again, because there they have
// the span of one word.
func once(list []shellparse.Command) (kept []shellparse.Command) {
	for _, c := range list {
		if !slices.ContainsFunc(kept[max(0, len(kept)-lately):],
			func(k shellparse.Command) bool { return len(k.Via) == len(c.Via) && same(k, c) }) {
			kept = append(kept, c)
		}
	}
	return kept
}

// A touch is an effect without its place and its command.
type touch struct {
	shellparse.Effect
	net shellparse.Endpoint
}

// each is every touch of a list, once.
func each(list []shellparse.Effect) (kept []touch) {
	seen := map[touch]bool{}
	for _, e := range list {
		t := touch{Effect: e}
		if t.Net = nil; e.Net != nil {
			t.net = *e.Net
		}
		if t.Span, t.Command = (shellparse.Span{}), 0; !seen[t] {
			seen[t] = true
			kept = append(kept, t)
		}
	}
	return kept
}

// carried are the commands and effects of the agent's part of a text, without what only carries it
// and that this is started.
func carried(s *shellparse.Script, w *shellparse.Wrapped) (commands []shellparse.Command,
	effects []shellparse.Effect) {
	part, first, from := shellparse.Span{Start: w.Start, End: w.End}, 0, 0
	if first, from = carriers(s, w); from > first {
		part = s.Commands[from-1].Span
	}
	for _, c := range s.Commands[from:] {
		if c.Span.In(part.Start, part.End) {
			commands = append(commands, c)
		}
	}
	for _, e := range s.Effects { // a redirection there belongs to the command that carries it
		starts := e.Command >= first && e.Command < from && e.Right == command.Exec &&
			e.Name.Text == s.Commands[e.Command].Name
		if e.Span.In(part.Start, part.End) && !starts {
			effects = append(effects, e)
		}
	}
	return commands, effects
}

// same reports whether two commands are the same one, whatever surrounds them.
func same(a, b shellparse.Command) bool {
	n := len(b.Via)
	return a.Name == b.Name && a.Dir == b.Dir && a.Remote == b.Remote && a.Builtin == b.Builtin &&
		slices.Equal(a.Args, b.Args) && slices.Equal(a.Assign, b.Assign) &&
		len(a.Via) >= n && slices.Equal(a.Via[len(a.Via)-n:], b.Via)
}

// inFront is an environment with a folder in front of PATH.
func inFront(env, folders []string) ([]string, error) {
	folders = slices.Compact(slices.Clone(folders))
	switch len(folders) {
	case 0:
		return env, nil
	case 1:
	default:
		return nil, errTwoFolders
	}
	env = slices.Clone(env)
	for i, kv := range env {
		if path, is := strings.CutPrefix(kv, "PATH="); is && path != "" {
			env[i] = "PATH=" + folders[0] + ":" + path
			return env, nil
		}
	}
	return append(env, "PATH="+folders[0]), nil
}

var errTwoFolders = errors.New("two folders in front of PATH")
