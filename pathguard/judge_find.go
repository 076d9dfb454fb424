package pathguard

import (
	"path"
	"slices"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse/command"
)

// find looks at everything that could say something about a target.
func (j *judgement) find(t *resolve.Target, action Action) *finding {
	j.last = finding{} // none is kept past the next
	f := &j.last
	full := t.Path()
	j.p.tree.at(full, func(m mark) { j.mark(f, t, m, full, action) })
	if slices.Contains(j.plan.Caller.Moved, path.Dir(full)) {
		f.put(InStartup, full) // as in the usual place
	}
	started := f.in[InStartup]
	tighten := func(path string) func(mark) {
		return func(m mark) {
			if m.tightens() {
				j.mark(f, t, m, path, action)
			}
		}
	}
	for _, link := range t.Links {
		j.p.tree.at(link, tighten(link))
	}
	for _, name := range t.Others {
		j.p.tree.at(name, tighten(name))
	}
	for _, id := range t.Crossed {
		j.p.tree.byID(id, tighten(full))
	}
	if t.Exists {
		j.p.tree.byID(t.ID, tighten(full))
	}
	if name, ok := behindRoot(full); ok {
		j.p.tree.at(name, tighten(full))
	}
	if f.in[InSecret] && (f.where[InSecret] == "-" || action == ToList) {
		f.in[InSecret] = false
	}
	if t.Glob && f.in[InRestricted] || f.in[InState] && t.Glob {
		j.named(f, t, full)
	}
	if changes(t, action) && j.inside(full) && pathname.IsToolDir(full) {
		f.put(InProtected, full) // a file there runs in place of a program
	}
	if self := j.plan.Caller.Self; action == ToExecute && self != (walk.ID{}) && t.ID == self {
		return f // it is in no place where anything could be put: it is what runs now
	}
	if action == ToWrite && !t.Exists && j.plan.Caller.Saves &&
		pathname.IsSnapshot(full, j.homes, j.plan.Caller.Moved) {
		f.in[InStartup] = false
		f.put(InCache, full)
		return f
	}
	if f.in[InStartup] && pathname.IsLog(full, j.homes) {
		f.in[InStartup], started = false, false
	}
	j.below(f, t, full, action)
	guess := t.Flags&command.Possible != 0 && (action == ToWrite || action == ToChange)
	if guess && f.in[InStartup] && j.runsOwn(t.Command) {
		f.in[InStartup] = false // the sandbox grants no guess
	}
	if !guess && (!started || action < ToWrite) {
		j.location(f, t, full, action)
	}
	if action == ToSweep && t.Effect >= 0 {
		f.count = j.matches(t.Effect)
		if j.regenerableEnd(full) {
			f.in[InWorkspace], f.in[InTemp] = false, false
		}
	}
	return f
}

// named lets a pattern for every name meet the name of a forbidden place, as long as the name
// is all that is taken: echo ~/.* says no more than ls ~ does.
func (j *judgement) named(f *finding, t *resolve.Target, full string) {
	dir := path.Dir(full)
	if resolve.OnlyNames(j.script, t.Effect) && bareGlob(j, t) && !j.marked(dir, markRestricted) &&
		!j.marked(dir, markState) {
		f.in[InRestricted], f.in[InState] = false, false
	}
}

// mark takes one mark on the way to a target into account.
func (j *judgement) mark(f *finding, t *resolve.Target, m mark, path string, action Action) {
	switch m.kind {
	case markRestricted:
		f.put(InRestricted, path)
	case markState:
		f.put(InState, path)
	case markReadOnly:
		f.put(InReadOnly, path)
	case markSecret:
		if f.where[InSecret] == "" {
			f.put(InSecret, path)
		}
	case markPublic:
		f.where[InSecret] = "-"
	case markStartup:
		if !j.inside(path) {
			f.put(InStartup, path)
		}
	case markWorkspaceState:
		if action >= ToWrite && action <= ToSweep && j.inside(path) {
			f.put(InState, path)
		}
	case markProtected:
		// Not by its own tool either: what that writes by itself is no word of a line, and a word
		// is a file like any other (git log --output=.git/config).
		if j.plan.Caller.HasAgent(m.only) && changes(t, action) && j.inside(path) &&
			!(m.tool == "" && j.makesEmpty(t)) {
			f.put(InProtected, path)
		}
	case markCache:
		f.put(InCache, path)
	case markCachedCode:
		if changes(t, action) {
			f.put(InCachedCode, path)
		}
	case markToolDir:
		f.put(InToolDir, path)
	case markRule:
		if keepsNothing(path) && m.path != path {
			return // a rule for a folder is about files
		}
		if m.rule.covers(t.Right) && (f.rule == nil || m.rule.Verdict < f.rule.Verdict) {
			f.rule = m.rule
		}
	}
}

// keepsNothing reports whether a path is that of a device that has no content.
func keepsNothing(path string) bool {
	switch path {
	case "/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/stdin", "/dev/stdout",
		"/dev/stderr":
		return true
	}
	return false
}

// denies reports whether a rule of the configuration denies a right to a path.
func (j *judgement) denies(path string, right command.Right) (denied bool) {
	j.p.tree.at(path, func(m mark) { denied = denied || m.denies(right) })
	return denied
}

// denies reports whether a mark is a rule that denies a right.
func (m mark) denies(right command.Right) bool {
	return m.kind == markRule && m.rule.Verdict == Deny && m.rule.covers(right)
}

func (r *PathRule) covers(right command.Right) bool {
	if len(r.Rights) == 0 {
		return true
	}
	return slices.ContainsFunc(r.Rights, func(x command.Right) bool {
		return x == right || x == command.Write && right == command.Create
	})
}
