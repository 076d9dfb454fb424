package pathguard

import (
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// A judgement is one plan being judged.
type judgement struct {
	p         *Policy
	plan      *resolve.Plan
	script    *shellparse.Script
	homes     []string
	allowed   map[int][]answer // of commands that rules of the configuration allow
	reasons   []Reason
	contained bool
	disk      *walk.Disk // for Fence; a judgement does not read the disk
	inner     bool       // the script is in a file that a command executes
	last      finding
	undo      losses // what cannot be taken back
}

// add records a reason. The message is the rule's own text; the span is the effect's.
func (j *judgement) add(d Decision, rule, path, detail string, span shellparse.Span, cmd int) {
	text, _ := ruleTextOf(rule)
	if d == Ask && j.lifted(cmd, text.risk, rule) {
		return
	}
	r := Reason{Rule: rule, Decision: d, Risk: text.risk, Span: span, Path: path, detail: detail,
		Command: cmd}
	r.Message = r.fill(text.en)
	if d != Allow {
		r.Instead = text.instead
	}
	j.reasons = append(j.reasons, r)
}

// An answer is what a rule that allows a command answers.
type answer struct {
	most  int      // up to this risk
	rules []string // questions of these rules; nil for all
}

// lifted reports whether a rule of the configuration answers a question already.
func (j *judgement) lifted(cmd, risk int, rule string) bool {
	return slices.ContainsFunc(j.allowed[cmd], func(a answer) bool {
		return risk <= a.most && (a.rules == nil || slices.Contains(a.rules, rule))
	})
}

// configured records a rule of the configuration, with its own message.
func (j *judgement) configured(rule string, d Decision, message, path, detail string,
	span shellparse.Span, cmd int) {
	j.add(d, rule, path, detail, span, cmd)
	if message == "" || len(j.reasons) == 0 || j.reasons[len(j.reasons)-1].Rule != rule {
		return
	}
	last := &j.reasons[len(j.reasons)-1]
	last.plain, last.Message = message, message
}

// hazard is one of the command table that the words of a command do not show by themselves.
func (j *judgement) hazard(rule string, span shellparse.Span, cmd int) {
	h, _ := command.LookupHazard(rule)
	if j.lifted(cmd, h.Risk, rule) {
		return
	}
	j.reasons = append(j.reasons, Reason{Rule: h.Rule, Decision: Ask, Risk: h.Risk,
		Message: h.Message, Span: span, Command: cmd, plain: h.Message})
}

func (j *judgement) span(effect int) shellparse.Span {
	if effect < 0 || effect >= len(j.script.Effects) {
		return shellparse.Span{End: len(j.script.Text)}
	}
	return j.script.Effects[effect].Span
}

func (j *judgement) strictest() Decision {
	d := Allow
	for _, r := range j.reasons {
		d = min(d, r.Decision)
	}
	return d
}

// inside reports whether a path is in the workspace.
func (j *judgement) inside(path string) bool { return pathname.Within(path, j.plan.Workspace) }

// isTool reports whether the command is one of the tools that a protected name belongs to.
func (j *judgement) isTool(cmd int, tool string) bool {
	if tool == "" || cmd < 0 || cmd >= len(j.script.Commands) {
		return false
	}
	return isOne(path.Base(j.script.Commands[cmd].Name), tool)
}

func (j *judgement) marked(path string, kind markKind) bool {
	found, public := false, false
	j.p.tree.at(path, func(m mark) {
		found = found || m.kind == kind
		public = public || m.kind == markPublic
	})
	return found && (kind != markSecret || !public)
}

// private reports whether the content of a file must not be shown.
func (j *judgement) private(path string) bool {
	return j.marked(path, markSecret) || j.marked(path, markRestricted) || j.marked(path, markState)
}

// shown is a path as a person in the working directory would write it.
func (j *judgement) shown(path string) string {
	if rest, ok := strings.CutPrefix(path, j.plan.Dir+"/"); ok {
		return rest
	}
	return path
}

// begins reports whether a command is the agent's program that the session is for.
func (j *judgement) begins(cmd int) bool {
	return j.plan.Caller.Session != nil && cmd == 0 && !j.inner
}

// isHome reports whether a path is the home directory or above it.
func (j *judgement) isHome(full string) bool {
	return slices.ContainsFunc(j.homes, func(h string) bool {
		return full != "/" && pathname.Within(h, full)
	})
}

// harmless reports whether an effect is a write to /dev/null or its like.
func (j *judgement) harmless(effect int) bool {
	e := &j.script.Effects[effect]
	return e.Right == command.Write && e.Name.Static &&
		(e.Name.Text == "/dev/null" || e.Name.Text == "/dev/stdout" || e.Name.Text == "/dev/stderr")
}

// bareGlob reports whether the last component of the pattern of a target takes all.
func bareGlob(j *judgement, t *resolve.Target) bool {
	for _, g := range j.plan.Globs {
		if g.Effect == t.Effect {
			return pathname.IsBare(path.Base(g.Pattern))
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

// files yields the files that are executed and may be read: a reason must not quote the words of a
// secret. Code in the package of an agent's program is left out, because the session is asked about
// as a whole.
func (j *judgement) files() iter.Seq2[*resolve.Inner, *judgement] {
	return func(yield func(*resolve.Inner, *judgement) bool) {
		for i := range j.plan.Inner {
			in := &j.plan.Inner[i]
			if j.begins(in.Command) {
				continue
			}
			k := &judgement{p: j.p, plan: in.Plan, script: in.Plan.Script, homes: j.homes,
				disk: j.disk, inner: true}
			if !j.private(in.Path) && !yield(in, k) {
				return
			}
		}
	}
}

// by reports whether a command is one of some programs.
func (j *judgement) by(cmd int, programs ...string) bool {
	return cmd >= 0 && cmd < len(j.script.Commands) &&
		slices.Contains(programs, path.Base(j.script.Commands[cmd].Name))
}

// alters reports whether an effect changes what a file says.
func alters(w *resolve.Target) bool {
	return w.Right != command.Read && w.Right != command.Exec && w.Right != command.Net &&
		w.Flags&command.Meta == 0
}
