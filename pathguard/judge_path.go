package pathguard

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// target judges one real file. Everything that the way to it passed is looked at too:
// a link inside a restricted directory does not become harmless by pointing elsewhere.
func (j *judgement) target(t *resolve.Target) {
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
		return // only the beginning of the name is certain, and the sandbox contains the rest
	}
	if action == ToExecute {
		j.executes(t, span)
	}
	f := j.find(t, action)
	j.loses(t, action, f)
	if f.rule != nil {
		j.configured("rule.path", f.rule.Verdict, f.rule.Message, full, "", span, t.Command)
	}
	strictest := j.inPlaces(t, action, f, span)
	if t.Linked > 0 && (action == ToWrite || action == ToChange) && t.Flags&command.Possible == 0 &&
		!j.replaces(t) {
		d, rule := Ask, "write.linked"
		if text, _ := ruleTextOf(rule); j.lifted(t.Command, text.risk, rule) {
			d = Allow // the sandbox has to know
		}
		j.add(d, rule, full, strconv.Itoa(t.Linked), span, t.Command)
	}
	switch {
	case strictest != Allow:
	case t.Kind == walk.Plain && j.p.isUncertain(t, action):
		j.add(Ask, "path.unresolved", full, t.Why, span, t.Command)
	case t.Kind == walk.Descriptor && t.Right == command.Write && t.Effect >= 0 && j.byLink(t):
		// What is written there may be what the next command of a pipeline runs, and it does not
		// look so.
		j.add(Ask, "path.unresolved", full, "a link to a file that the command has open", span,
			t.Command)
	}
	if f.in[InUnknown] || t.Flags&command.Possible != 0 {
		j.contained = true
	}
}

// executes judges the execution of a file by how it is named.
func (j *judgement) executes(t *resolve.Target, span shellparse.Span) {
	full := t.Path()
	switch {
	case t.Streams():
		j.add(Ask, "code.stream", full, "", span, t.Command)
	case t.Kind == walk.Descriptor:
		j.add(Ask, "code.stdin", "", t.Name, span, t.Command)
	case t.Flags&command.List != 0 && (full == j.plan.Workspace || full == j.plan.Dir):
		j.add(Ask, "exec.path", full, "", span, t.Command)
	}
}

// inPlaces judges an action by the table, in each place that a file is in, and returns the
// strictest decision of the table.
func (j *judgement) inPlaces(t *resolve.Target, action Action, f *finding,
	span shellparse.Span) Decision {
	full, strictest := t.Path(), Allow
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
		case place == InTemp && action == ToExecute && j.ownTemporary(t, full):
		case place == InOutside && cell.Rule == "exec.stray" && j.isMissing(t, full):
		case place == InTemp && cell.Rule == "delete.pattern" && j.meetsNothing(t):
		case place == InSecret && action == ToRead && !t.Exists && j.makes(full, t.Effect):
		case place == InSecret && action == ToRead && j.staysSecret(t, f):
		case j.inner && slices.Contains(absentHere, cell.Rule) &&
			(!t.Exists || cell.Rule == "delete.pattern" && !bareGlob(j, t)):
		default:
			n := len(j.reasons)
			j.add(cell.Decision, cell.Rule, f.shown(place, full), f.detail(t, action), span,
				t.Command)
			if len(j.reasons) > n && cell.Rule == "delete.protected" && !t.Exists && !t.Unknown {
				j.reasons[n].Risk = 1 // nothing is there
			}
			if len(j.reasons) > n && place == InWorkspace && j.isSpared(t, full) {
				j.reasons[n].stands = StandsFor(cell.Rule) && j.isPlain(t.Command)
			}
		}
	}
	return strictest
}

// byLink reports whether a target in /proc is meant by a name that is elsewhere.
func (j *judgement) byLink(t *resolve.Target) bool {
	n := &j.script.Effects[t.Effect].Name
	named := path.Join(n.Dir, n.Text)
	return !pathname.WithinAny(named, []string{"/dev", "/proc"})
}

// inCommand is an action as the command around it makes it: what is moved or temporary is not swept
// away, and what empties all that a pattern fits is.
func (j *judgement) inCommand(t *resolve.Target, action Action) Action {
	rewrites := t.Right == command.Write && t.Flags&command.Append == 0
	switch {
	case action == ToSweep && (j.moves(t.Command) || j.temporary(t)):
		return ToDelete
	case action == ToWrite && rewrites && t.Below() && (j.empties(t.Command) || j.shell(t.Command)):
		return ToSweep
	case action == ToWrite && rewrites && t.Glob && bareGlob(j, t) && j.empties(t.Command):
		return ToSweep
	}
	return action
}

// absentHere are the rules about losing or disclosing something. A build that removes what it made,
// or that reads the key which it made, names something that does not exist yet: in a file, such a
// line takes nothing away. Nor do the patterns of a "make clean", unless they match everything.
var absentHere = []string{"delete.tree", "delete.pattern", "read.secret"}

// unknown judges a name whose place the text does not tell at all.
func (j *judgement) unknown(t *resolve.Target, action Action, span shellparse.Span) {
	cell := balanced[InUnknown][action]
	if cell.Decision == Allow {
		j.contained = true
		return
	}
	j.add(cell.Decision, cell.Rule, t.Name, t.Name, span, t.Command)
}

// moves reports whether a command takes names away by giving them to something else: then
// a pattern does not lose what it matches.
func (j *judgement) moves(cmd int) bool {
	if cmd < 0 || cmd >= len(j.script.Commands) {
		return false
	}
	c := &j.script.Commands[cmd]
	return path.Base(c.Name) == "mv" ||
		path.Base(c.Name) == "git" &&
			slices.ContainsFunc(c.Args,
				func(w shellparse.Word) bool { return w.Static && w.Text == "mv" })
}

// temporary reports whether a pattern is the name that mktemp(1) is about to make in the same
// script: nothing that has such a name now is meant.
func (j *judgement) temporary(t *resolve.Target) bool {
	for _, g := range j.plan.Globs {
		if g.Effect == t.Effect {
			return strings.HasSuffix(g.Pattern, "???") && !strings.Contains(g.Pattern, "*") &&
				slices.ContainsFunc(j.script.Commands,
					func(c shellparse.Command) bool { return path.Base(c.Name) == "mktemp" })
		}
	}
	return false
}

// shell reports whether a command is a shell: what it writes by itself is a redirection.
func (j *judgement) shell(cmd int) bool {
	if cmd < 0 || cmd >= len(j.script.Commands) {
		return false
	}
	return slices.Contains(resolve.Shells, path.Base(j.script.Commands[cmd].Name))
}

// empties reports whether a command that writes puts nothing of what was there back: a
// redirection, a program that only prints, or one that copies nothing. An editor in place is
// another matter.
func (j *judgement) empties(cmd int) bool {
	return cmd < 0 || cmd >= len(j.script.Commands) || j.script.Commands[cmd].ReadOnly ||
		j.by(cmd, "truncate") || j.by(cmd, "cp", "dd", "install") && slices.ContainsFunc(
		j.plan.Targets, func(t resolve.Target) bool {
			return t.Command == cmd && t.Right == command.Read && t.Path() == "/dev/null"
		})
}
