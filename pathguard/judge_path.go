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
		case t.Flags&command.Recursive != 0:
			return ToWipe
		case t.Glob, t.Flags&command.Below != 0:
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
	switch {
	case action == ToSweep && j.moves(t.Command):
		action = ToDelete
	case action == ToWrite && t.Glob && t.Flags&command.Append == 0 && t.Right == command.Write && bareGlob(j, t) && j.empties(t.Command):
		action = ToSweep
	}
	f := j.find(t, action)
	full := t.Path()
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
		default:
			j.add(cell.Decision, cell.Rule, f.shown(place, full), f.detail(t, action), span, t.Command)
		}
	}
	if strictest == Allow && t.Kind == Plain && strings.HasPrefix(t.Why, "too many") {
		j.add(Ask, "path.unresolved", full, t.Why, span, t.Command)
	}
	if f.in[InUnknown] || t.Flags&command.Possible != 0 {
		j.contained = true
	}
}

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
	f := &finding{}
	full := t.Path()
	j.marks(f, t, full, action)
	for _, link := range t.Links {
		j.marks(f, t, link, action)
	}
	for _, id := range t.Crossed {
		j.p.tree.byID(id, func(m mark) { j.mark(f, t, m, full, action) })
	}
	if t.Exists {
		j.p.tree.byID(t.ID, func(m mark) { j.mark(f, t, m, full, action) })
	}
	if f.in[InSecret] && (f.where[InSecret] == "-" || action == ToList) {
		f.in[InSecret] = false
	}
	j.below(f, t, full, action)
	guess := t.Flags&command.Possible != 0 && (action == ToWrite || action == ToChange)
	if !guess && (!f.in[InStartup] || action < ToWrite) {
		j.location(f, t, full, action)
	}
	if action == ToSweep && t.Effect >= 0 {
		f.count = j.matches(t.Effect)
		if f.in[InWorkspace] && j.regenerableEnd(full) {
			f.in[InWorkspace] = false
		}
	}
	return f
}

func (j *judgement) marks(f *finding, t *Target, path string, action Action) {
	j.p.tree.at(path, func(m mark) { j.mark(f, t, m, path, action) })
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
		if action >= ToWrite && action <= ToSweep && !j.isTool(t.Command, m.tool) && j.inside(path) {
			f.put(InProtected, path)
		}
	case markCache:
		f.put(InCache, path)
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

// empties reports whether a command that writes puts nothing of what was there back: a
// redirection, or a program that only prints. An editor in place is another matter.
func (j *judgement) empties(cmd int) bool {
	return cmd < 0 || cmd >= len(j.script.Commands) || j.script.Commands[cmd].ReadOnly || path.Base(j.script.Commands[cmd].Name) == "truncate"
}

// isTool reports whether the command is the tool that a protected name belongs to.
func (j *judgement) isTool(cmd int, tool string) bool {
	if tool == "" || cmd < 0 || cmd >= len(j.script.Commands) {
		return false
	}
	return path.Base(j.script.Commands[cmd].Name) == tool
}

// inside reports whether a path is in the workspace.
func (j *judgement) inside(path string) bool { return within(path, j.plan.Workspace) }

// below looks at what lies under a target that is taken as a whole: deleting or reading an
// ancestor reaches what it holds.
func (j *judgement) below(f *finding, t *Target, full string, action Action) {
	whole := t.Flags&command.Recursive != 0 || t.below() || action == ToWipe ||
		action == ToDelete && t.Mode.IsDir() && t.Exists || action == ToSweep && t.Mode.IsDir()
	if !whole {
		return
	}
	inside := j.inside(full)
	held := j.p.tree.holds(full)
	for _, k := range []struct {
		mark  markKind
		place Place
	}{{markRestricted, InRestricted}, {markState, InState}, {markReadOnly, InReadOnly}} {
		if !held.has(k.mark) {
			continue
		}
		switch {
		case t.below() && action >= ToWrite && action <= ToSweep: // some of it: the fence keeps the rest
			j.add(Ask, "path.reach", full, j.p.tree.under(full, k.mark), j.span(t.Effect), t.Command)
		case action >= ToWrite && action <= ToSweep:
			f.put(k.place, j.p.tree.under(full, k.mark))
		case k.mark != markReadOnly && action == ToRead && !inside:
			j.add(Ask, "path.sweep", full, j.p.tree.under(full, k.mark), j.span(t.Effect), t.Command)
		}
	}
	if held.has(markSecret) && action == ToRead && !inside && !systemHeld(full) {
		j.add(Ask, "path.sweep", full, j.p.tree.under(full, markSecret), j.span(t.Effect), t.Command)
	}
}

// lists judges names that are listed and then read by something else: find | xargs cat. What
// is read is unknown, but where it was looked for is not.
func (j *judgement) lists() {
	for i := range j.script.Opaque {
		o := &j.script.Opaque[i]
		if o.Place != shellparse.InRead || !strings.Contains(o.Why, "standard input") {
			continue
		}
		for k := range j.plan.Targets {
			t := &j.plan.Targets[k]
			full := t.Path()
			if actionOf(t) != ToList || t.Flags&command.Recursive == 0 || t.Real == "" || j.inside(full) || systemHeld(full) {
				continue
			}
			for _, kind := range []markKind{markRestricted, markSecret} {
				if j.p.tree.holds(full).has(kind) {
					j.add(Ask, "path.sweep", full, j.p.tree.under(full, kind), o.Span, o.Command)
					break
				}
			}
		}
	}
}

// systemHeld reports whether what a directory of the system hides is hidden by its mode
// anyway: grep -r in /etc meets /etc/shadow and is refused.
func systemHeld(full string) bool { return full != "/" && withinAny(full, systemDirs) }

// location puts the target on the map.
func (j *judgement) location(f *finding, t *Target, full string, action Action) {
	switch {
	case t.Kind == Foreign || foreignProcess(t, full):
		f.put(InProcess, "")
	case t.Kind == Descriptor:
	case t.Mode&os.ModeDevice != 0 && t.Exists && !withinAny(full, harmlessDevices), within(full, "/dev") && !withinAny(full, harmlessDevices) && full != "/dev":
		f.put(IsDevice, "")
	case within(full, "/proc") || within(full, "/sys"):
		f.put(InKernel, "")
	case withinAny(full, harmlessDevices) && !within(full, "/dev/shm"):
	case t.Unknown && t.Real == "":
		f.put(InUnknown, "")
	default:
		j.ground(f, t, full, action)
	}
	if t.Unknown && action >= ToDelete && action <= ToSweep {
		f.put(InUnknown, "")
	}
}

// ground finds the place of an ordinary file.
func (j *judgement) ground(f *finding, t *Target, full string, action Action) {
	ws := j.plan.Workspace
	if t.below() {
		full = join(full, "*") // what is meant stands in it
	}
	broad := action == ToSweep || action == ToWipe || t.Flags&command.Recursive != 0 || action == ToDelete || action == ToChange
	switch {
	case broad && (full == "/" || isTop(full) || t.Glob && isTop(path.Dir(full)) && bareGlob(j, t)):
		f.put(IsRoot, "")
	case j.isHome(full), broad && t.Glob && j.isHome(path.Dir(full)) && bareGlob(j, t):
		f.put(IsHome, "")
	case full == ws:
		f.put(IsWorkspace, "")
	case ws != "" && within(full, ws):
		if isRegenerable(full[len(ws):]) {
			f.put(InRegenerable, "")
		} else {
			f.put(InWorkspace, "")
		}
	case withinAny(full, j.homes) && !f.in[InCache] && !f.in[InToolDir]:
		f.put(InHome, "")
	case withinAny(full, tempDirs):
		if tempRoot(full) && action >= ToChange && action <= ToSweep && !t.below() {
			f.put(InSystem, "")
		} else {
			f.put(InTemp, "")
		}
	case f.in[InCache], f.in[InToolDir]:
	case j.inHome(full):
		f.put(InHome, "")
	case isSystem(full):
		f.put(InPrograms, "")
	case withinAny(full, systemDirs):
		f.put(InSystem, "")
	default:
		f.put(InOutside, "")
	}
}

// below reports whether a target means the names in a directory, and not the directory.
func (t *Target) below() bool { return t.Flags&command.Below != 0 }

// isTop reports whether a path is a directory directly below the root.
func isTop(full string) bool {
	return full == "/" || strings.Count(full, "/") == 1 && full != "/tmp" && withinAny(full, append([]string{"/home", "/dev", "/proc", "/sys", "/mnt", "/media"}, systemDirs...))
}

func tempRoot(full string) bool {
	for _, d := range tempDirs {
		if full == d {
			return true
		}
	}
	return false
}

// isHome reports whether a path is the home directory or above it.
func (j *judgement) isHome(full string) bool {
	for _, h := range j.homes {
		if full != "/" && within(h, full) {
			return true
		}
	}
	return false
}

func (j *judgement) inHome(full string) bool { return within(full, "/home") || within(full, "/root") }

// foreignProcess reports whether a path below /proc belongs to a process by number, or to
// one that is not known: what stands there are its memory, environment and files.
func foreignProcess(t *Target, full string) bool {
	rest, ok := strings.CutPrefix(full, "/proc/")
	if !ok {
		return t.Unknown && full == "/proc"
	}
	first, file, _ := strings.Cut(rest, "/")
	if first == "" || first[0] < '0' || first[0] > '9' {
		return t.Unknown && first == ""
	}
	switch file {
	case "", "stat", "status", "statm", "comm", "cmdline", "cgroup", "limits", "io", "sched", "wchan", "loginuid":
		return false
	}
	return true
}

// isRegenerable reports whether a path in the workspace lies in a directory that a build
// makes again.
func isRegenerable(rel string) bool {
	for part := range strings.SplitSeq(rel, "/") {
		if regenerable[part] || strings.HasSuffix(part, ".egg-info") {
			return true
		}
	}
	return false
}

func (j *judgement) regenerableEnd(full string) bool {
	return regenerableEndings[path.Ext(full)] || strings.HasSuffix(full, "~")
}

// bareGlob reports whether the last component of the pattern of a target takes all.
func bareGlob(j *judgement, t *Target) bool {
	for _, g := range j.plan.Globs {
		if g.Effect == t.Effect {
			last := path.Base(g.Pattern)
			return strings.Trim(last, "*.?[]^!") == ""
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
		t := Target{Right: e.Right, Flags: e.Flags, Name: e.Name.Text, Effect: g.Effect, Command: e.Command, Glob: true}
		action := actionOf(&t)
		j.p.tree.matches(g.Pattern, func(m mark) {
			switch {
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
		if g.Count > g.Kept && g.Kept > 0 {
			j.add(Ask, "path.many", g.Pattern, strconv.Itoa(g.Count), e.Span, e.Command)
		}
	}
}
