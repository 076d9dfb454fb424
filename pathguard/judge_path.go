package pathguard

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// actionOf translates an effect into a column of the table.
func actionOf(t *Target) Action {
	switch t.Right {
	case command.Read:
		switch {
		case t.Flags&command.Source != 0:
			return ToExecute
		case t.Flags&(command.List|command.Meta) != 0:
			return ToList
		}
		return ToRead
	case command.Exec:
		return ToExecute
	case command.Delete:
		switch {
		case t.Flags&command.Recursive != 0 && !(t.Exists && t.Mode.IsRegular() && !t.Glob):
			return ToWipe
		case t.Glob && !t.One, t.Flags&command.Below != 0:
			return ToSweep
		}
		return ToDelete
	}
	if t.Flags&command.Meta != 0 {
		return ToChange
	}
	return ToWrite
}

// target judges one real file. Everything that the way to it passed is looked at too:
// a link inside a restricted directory does not become harmless by pointing elsewhere.
func (j *judgement) target(t *Target) {
	action := actionOf(t)
	span := j.span(t.Effect)
	if t.Effect < 0 && t.Command >= 0 && t.Command < len(j.script.Commands) {
		span = j.script.Commands[t.Command].Span
	}
	if t.Unknown && t.Real == "" {
		j.unknown(t, action, span)
		return
	}
	action = j.inCommand(t, action)
	full := t.Path()
	if j.inner && t.Unknown && !j.private(full) {
		return // only the beginning of the name is certain, and the fence holds the rest
	}
	switch {
	case action == ToExecute && t.streams():
		j.add(Ask, "code.stream", full, "", span, t.Command)
	case action == ToExecute && t.Kind == Descriptor:
		j.add(Ask, "code.stdin", "", t.Name, span, t.Command)
	case action == ToExecute && t.Flags&command.List != 0 && (full == j.plan.Workspace || full == j.plan.Dir):
		j.add(Ask, "exec.path", full, "", span, t.Command)
	}
	f := j.find(t, action)
	if f.rule != nil {
		j.configured("rule.path", f.rule.Verdict, f.rule.Message, full, "", span, t.Command)
	}
	strictest := Allow
	for place := range places {
		if f.in[place] {
			strictest = min(strictest, balanced[place][action].Decision)
		}
	}
	for place := range places {
		cell := balanced[place][action]
		switch {
		case !f.in[place], cell.Decision == Allow, strictest == Deny && cell.Decision != Deny:
		case cell.Decision == Ask && f.rule != nil && f.rule.Verdict == Allow:
		case cell.Rule == "exec.stray" && j.begins(t.Command):
		case place == InTemp && action == ToExecute && (j.justBuilt(t, full) || j.justTold(t, full)):
		case j.inner && absentHere.has(cell.Rule) && (!t.Exists || cell.Rule == "delete.pattern" && !bareGlob(j, t)):
		default:
			j.add(cell.Decision, cell.Rule, f.shown(place, full), f.detail(t, action), span, t.Command)
		}
	}
	if t.Linked > 0 && (action == ToWrite || action == ToChange) && t.Flags&command.Possible == 0 && !j.replaces(t) {
		j.add(Ask, "write.linked", full, strconv.Itoa(t.Linked), span, t.Command)
	}
	if strictest == Allow && t.Kind == Plain && strings.HasPrefix(t.Why, "too many") {
		j.add(Ask, "path.unresolved", full, t.Why, span, t.Command)
	}
	if f.in[InUnknown] || t.Flags&command.Possible != 0 {
		j.contained = true
	}
}

// inCommand is an action as the command around it makes it: what is moved or temporary is not swept
// away, and what empties all that a pattern fits is.
func (j *judgement) inCommand(t *Target, action Action) Action {
	rewrites := t.Right == command.Write && t.Flags&command.Append == 0
	switch {
	case action == ToSweep && (j.moves(t.Command) || j.temporary(t)):
		return ToDelete
	case action == ToWrite && rewrites && t.below() && (j.empties(t.Command) || j.shell(t.Command)):
		return ToSweep
	case action == ToWrite && rewrites && t.Glob && bareGlob(j, t) && j.empties(t.Command):
		return ToSweep
	}
	return action
}

// streams reports whether a target has no content that stays: what a FIFO, a socket or a device
// says, nobody can look at before. /dev/null says nothing.
func (t *Target) streams() bool {
	return t.Exists && t.Mode&(os.ModeNamedPipe|os.ModeSocket|os.ModeDevice) != 0 && t.Path() != "/dev/null"
}

// absentHere are the rules about what is lost or told. A build that removes what it made, or
// that reads the key which it made, names something that does not exist yet: then a file that
// says so takes nothing away. Nor do the patterns of a "make clean", as long as they are not
// for everything.
var absentHere = names{"delete.tree", "delete.pattern", "read.secret"}

// unknown judges a name whose place the text does not tell at all.
func (j *judgement) unknown(t *Target, action Action, span shellparse.Span) {
	cell := balanced[InUnknown][action]
	if cell.Decision == Allow {
		j.contained = true
		return
	}
	j.add(cell.Decision, cell.Rule, t.Name, t.Name, span, t.Command)
}

// A finding is where one target is.
type finding struct {
	in    [places]bool
	where [places]string // the path that put it there, when it is not the target's own
	rule  *PathRule
	count int
}

func (f *finding) put(p Place, path string) {
	f.in[p] = true
	if f.where[p] == "" {
		f.where[p] = path
	}
}

func (f *finding) shown(p Place, full string) string {
	if f.where[p] != "" {
		return f.where[p]
	}
	return full
}

func (f *finding) detail(t *Target, a Action) string {
	if a == ToSweep {
		return strconv.Itoa(f.count)
	}
	return t.Name
}

// find looks at everything that could say something about a target.
func (j *judgement) find(t *Target, action Action) *finding {
	j.last = finding{} // nobody keeps one past the next
	f := &j.last
	full := t.Path()
	j.p.tree.at(full, func(m mark) { j.mark(f, t, m, full, action) })
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
	if changes(t, action) && j.inside(full) && isToolDir(full) {
		f.put(InProtected, full) // what stands there runs in the place of a program
	}
	if self := j.plan.Caller.Self; action == ToExecute && self != (ID{}) && t.ID == self {
		return f // it is in no place where anything could be put: it is what runs now
	}
	if action == ToWrite && !t.Exists && j.plan.Caller.Saves && isSnapshot(full, j.homes) {
		f.in[InStartup] = false
		f.put(InCache, full)
		return f
	}
	j.below(f, t, full, action)
	guess := t.Flags&command.Possible != 0 && (action == ToWrite || action == ToChange)
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

// changes reports whether a target is certainly changed. A program that nobody knows is given
// many a name to read, and the fence keeps what runs later as it is.
func changes(t *Target, action Action) bool {
	return action >= ToWrite && action <= ToSweep && t.Flags&command.Possible == 0
}

// named lets a pattern for every name meet the name of a forbidden place, as long as the name
// is all that is taken: echo ~/.* says no more than ls ~ does.
func (j *judgement) named(f *finding, t *Target, full string) {
	dir := path.Dir(full)
	if onlyNames(j.script, t.Effect) && bareGlob(j, t) && !j.marked(dir, markRestricted) && !j.marked(dir, markState) {
		f.in[InRestricted], f.in[InState] = false, false
	}
}

// tightens reports whether a mark can only make a verdict stricter. A link that stands in
// a place where much is allowed does not take that with it to where it points.
func (m mark) tightens() bool {
	switch m.kind {
	case markPublic, markCache, markToolDir:
		return false
	case markRule:
		return m.rule.Verdict != Allow
	}
	return true
}

// mark takes one mark on the way to a target into account.
func (j *judgement) mark(f *finding, t *Target, m mark, path string, action Action) {
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
		if changes(t, action) && !j.isTool(t.Command, m.tool) && j.inside(path) {
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
		if m.rule.covers(t.Right) && (f.rule == nil || m.rule.Verdict < f.rule.Verdict) {
			f.rule = m.rule
		}
	}
}

func (r *PathRule) covers(right command.Right) bool {
	if len(r.Rights) == 0 {
		return true
	}
	for _, x := range r.Rights {
		if x == right || x == command.Write && right == command.Create {
			return true
		}
	}
	return false
}

// moves reports whether a command takes names away by giving them to something else: then
// a pattern does not lose what it matches.
func (j *judgement) moves(cmd int) bool {
	if cmd < 0 || cmd >= len(j.script.Commands) {
		return false
	}
	c := &j.script.Commands[cmd]
	return path.Base(c.Name) == "mv" || path.Base(c.Name) == "git" && slices.ContainsFunc(c.Args, func(w shellparse.Word) bool { return w.Static && w.Text == "mv" })
}

// temporary reports whether a pattern is the name that mktemp(1) is about to make in the same
// script: nothing that has such a name now is meant.
func (j *judgement) temporary(t *Target) bool {
	for _, g := range j.plan.Globs {
		if g.Effect == t.Effect {
			return strings.HasSuffix(g.Pattern, "???") && !strings.Contains(g.Pattern, "*") &&
				slices.ContainsFunc(j.script.Commands, func(c shellparse.Command) bool { return path.Base(c.Name) == "mktemp" })
		}
	}
	return false
}

// shell reports whether a command is a shell: what it writes by itself is a redirection.
func (j *judgement) shell(cmd int) bool {
	if cmd < 0 || cmd >= len(j.script.Commands) {
		return false
	}
	return shells.has(path.Base(j.script.Commands[cmd].Name))
}

// empties reports whether a command that writes puts nothing of what was there back: a
// redirection, or a program that only prints. An editor in place is another matter.
func (j *judgement) empties(cmd int) bool {
	return cmd < 0 || cmd >= len(j.script.Commands) || j.script.Commands[cmd].ReadOnly || path.Base(j.script.Commands[cmd].Name) == "truncate"
}

// isTool reports whether the command is one of the tools that a protected name belongs to.
func (j *judgement) isTool(cmd int, tool string) bool {
	if tool == "" || cmd < 0 || cmd >= len(j.script.Commands) {
		return false
	}
	return isOne(path.Base(j.script.Commands[cmd].Name), tool)
}

// inside reports whether a path is in the workspace.
func (j *judgement) inside(path string) bool { return within(path, j.plan.Workspace) }

// bareGlob reports whether the last component of the pattern of a target takes all.
func bareGlob(j *judgement, t *Target) bool {
	for _, g := range j.plan.Globs {
		if g.Effect == t.Effect {
			return isBare(path.Base(g.Pattern))
		}
	}
	return false
}

func (j *judgement) matches(effect int) int {
	for _, g := range j.plan.Globs {
		if g.Effect == effect {
			return g.Count
		}
	}
	return 0
}

// globs holds every pattern against the rules too: a directory that cannot be listed now
// may be listed by the command.
func (j *judgement) globs() {
	for _, g := range j.plan.Globs {
		e := &j.script.Effects[g.Effect]
		t := Target{Right: e.Right, Flags: e.Flags, Name: e.Name.Text, Effect: g.Effect, Command: e.Command, Glob: true, One: e.Name.One}
		action := actionOf(&t)
		j.p.tree.matches(g.Pattern, func(m mark) {
			switch {
			case m.swept: // what it really met is among the targets, and the rest is hidden
			case m.kind == markRestricted:
				j.add(Deny, "path.restricted", m.path, "", e.Span, e.Command)
			case m.kind == markState:
				j.add(Deny, "path.state", m.path, "", e.Span, e.Command)
			case m.kind == markSecret && g.Count == 0 && (action == ToRead || action == ToExecute):
				j.add(Ask, "read.secret", m.path, "", e.Span, e.Command)
			case m.kind == markReadOnly && action >= ToWrite && action <= ToSweep:
				j.add(Ask, "path.readonly", m.path, "", e.Span, e.Command)
			}
		})
		if name := instanceOf(path.Base(g.Pattern)); g.Count == 0 && name != "" && (action == ToRead || action == ToExecute) && j.marked(join(path.Dir(g.Pattern), name), markSecret) {
			j.add(Ask, "read.secret", g.Pattern, "", e.Span, e.Command)
		}
		if g.Count > g.Kept && g.Kept > 0 {
			j.add(Ask, "path.many", g.Pattern, strconv.Itoa(g.Count), e.Span, e.Command)
		}
	}
}
