package resolve

import (
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

func (r *resolver) effect(i int) {
	e := &r.plan.Script.Effects[i]
	if e.Right == command.Net {
		return
	}
	if len(r.plan.Targets) >= maxTargets {
		r.limit("targets", len(r.plan.Script.Effects), i)
		return
	}
	t := Target{Right: e.Right, Flags: e.Flags, Name: e.Name.Text, Effect: i, Command: e.Command}
	dir, text, known := nameOf(e.Name, r.plan.Caller.Home, r.homeOf)
	if dir == "" && !strings.HasPrefix(text, "/") {
		t.Unknown, t.Why = true, "the directory that the name starts from is not known"
		r.add(t)
		return
	}
	from := r.Root
	if dir != "" {
		from = r.from(dir)
	}
	if found := r.sourced(e, text); found != "" {
		text = found
	}
	if r.readsSettings(e, pathname.Join(from.Path, text)) {
		t.Flags &^= command.Source
	}
	if from.FD < 0 && !strings.HasPrefix(text, "/") {
		// mkdir a && cd a && ...: what exists is nearer to the root
		from, text = r.Root, from.Path+"/"+text
	}
	switch {
	case !known:
		t.Unknown, t.Why = true, "only the beginning of the name is known"
		r.bind(&t, r.Walk(from, prefixDir(text), true))
	case e.Name.Glob:
		r.glob(t, from, text)
	default:
		r.bind(&t, r.Walk(from, text, follows(e.Right, e.Flags)))
	}
	if e.Flags&command.Source != 0 && e.Flags&command.Below != 0 || e.Right == command.Exec {
		r.foundScripts(r.plan.Targets[len(r.plan.Targets)-1], e.Base)
	}
	if e.Right == command.Create && e.Flags&command.Link != 0 {
		r.link(&r.plan.Targets[len(r.plan.Targets)-1])
	}
}

// sourced returns where bash finds the operand of "." and source: a name without a slash in PATH
// before the working directory. It need not be executable there. "" leaves the name as it is.
func (r *resolver) sourced(e *shellparse.Effect, text string) string {
	if e.Flags&command.Source == 0 || e.Command < 0 || !e.Name.Static ||
		strings.Contains(text, "/") {
		return ""
	}
	if c := &r.plan.Script.Commands[e.Command]; !c.Builtin || c.Name != "." && c.Name != "source" {
		return ""
	}
	for _, dir := range strings.Split(r.searchPath(e.Command), ":") {
		var st unix.Stat_t
		if name := dir + "/" + text; strings.HasPrefix(dir, "/") &&
			unix.Fstatat(unix.AT_FDCWD, name, &st, 0) == nil &&
			st.Mode&unix.S_IFMT == unix.S_IFREG {
			return name
		}
	}
	return ""
}

// link remembers a link that the script makes: later names may lead through it. What it
// points to is the name that the same command touches just before.
func (r *resolver) link(made *Target) {
	if r.Made == nil {
		r.Made = map[string]string{}
	}
	for i := len(r.plan.Targets) - 2; i >= 0; i-- {
		t := &r.plan.Targets[i]
		if t.Command != made.Command || t.Flags&command.Link == 0 || t.Right != command.Read {
			break
		}
		if t.Real == "" {
			continue
		}
		name := made.Path()
		if made.Exists && made.Mode.IsDir() { // ln(1) makes it in there
			name = pathname.Join(name, path.Base(t.Path()))
		}
		r.Made[name] = t.Path()
	}
}
