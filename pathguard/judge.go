package pathguard

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// Judge says whether the plan may run. It is a pure function: the same plan and policy give
// the same verdict, and nothing is opened, read or asked.
//
// Every rule that has something to say is kept as a reason, the strictest decides. The
// order of strictness is deny, ask, allow.
func (p Policy) Judge(plan *Plan) Verdict {
	if p.tree == nil || plan == nil || plan.Script == nil {
		return Verdict{Reasons: []Reason{{Rule: "policy.missing", Risk: 3, Message: noPolicy(), Command: -1}}}
	}
	j := judgement{p: &p, plan: plan, script: plan.Script}
	j.homes = p.homes
	j.text()
	j.effects()
	j.codes()
	j.opaque()
	j.limits()
	j.inners()
	j.linked()
	j.levels()
	return j.verdict()
}

// linked judges what a program could write in place without a word of the text about it. What git
// writes replaces the file that was there.
func (j *judgement) linked() {
	if len(j.plan.Linked) == 0 || j.class() == ReadOnly {
		return
	}
	untold := func(c shellparse.Command) bool { return !toldBy(&c) && c.Name != "git" }
	if j.contained || slices.ContainsFunc(j.script.Commands, untold) {
		j.add(Ask, "code.linked", j.shown(j.plan.Linked[0]), strconv.Itoa(len(j.plan.Linked)),
			shellparse.Span{End: len(j.script.Text)}, -1)
	}
}

// effects judges what the script certainly does.
func (j *judgement) effects() {
	j.commands()
	j.session()
	j.here()
	j.person()
	j.listed()
	j.handed()
	for i := range j.plan.Targets {
		j.target(&j.plan.Targets[i])
	}
	j.globs()
	j.lists()
	j.programs()
	j.net()
	j.hazards()
}

// here judges the working directory: what runs in a restricted one could not even be started there.
func (j *judgement) here() {
	restricted := j.marked(j.plan.Dir, markRestricted)
	j.p.tree.byID(j.plan.DirID, func(m mark) { restricted = restricted || m.kind == markRestricted })
	if restricted && !j.inner && !Idle(j.script) {
		j.add(Deny, "path.restricted", j.plan.Dir, "", shellparse.Span{End: len(j.script.Text)}, -1)
	}
}

// A judgement is one plan being judged.
type judgement struct {
	p         *Policy
	plan      *Plan
	script    *shellparse.Script
	homes     []string
	allowed   map[int]int // commands that a rule of the configuration allows, up to which risk
	reasons   []Reason
	contained bool
	disk      *disk // for a fence; a judgement asks no disk
	inner     bool  // the script stands in a file that a command executes
	last      finding
}

// add keeps a reason. The rule's own text makes the message; the span is the effect's.
func (j *judgement) add(d Decision, rule, path, detail string, span shellparse.Span, cmd int) {
	text, _ := ruleTextOf(rule)
	if d == Ask && j.lifted(cmd, text.risk) {
		return
	}
	r := Reason{Rule: rule, Decision: d, Risk: text.risk, Span: span, Path: path, detail: detail, Command: cmd}
	r.Message = r.fill(text.en)
	if d != Allow {
		r.Instead = text.instead
	}
	j.reasons = append(j.reasons, r)
}

// lifted reports whether a rule of the configuration answers the question already.
func (j *judgement) lifted(cmd, risk int) bool {
	most, ok := j.allowed[cmd]
	return ok && risk <= most
}

// configured keeps what a rule of the configuration says, in its own words.
func (j *judgement) configured(rule string, d Decision, message, path, detail string, span shellparse.Span, cmd int) {
	j.add(d, rule, path, detail, span, cmd)
	if message == "" || len(j.reasons) == 0 || j.reasons[len(j.reasons)-1].Rule != rule {
		return
	}
	last := &j.reasons[len(j.reasons)-1]
	last.plain, last.Message = message, message
}

// text judges the line before what it does: whether it can be read, and by whom.
func (j *judgement) text() {
	s := j.script
	whole := shellparse.Span{End: len(s.Text)}
	switch {
	case s.Err != nil:
		j.add(Deny, "text.unparsable", "", s.Err.Text, s.Err.Span, -1)
	case Idle(s):
		j.add(Allow, "text.empty", "", "", whole, -1)
	case s.Canonical == "" && strings.TrimSpace(s.Text) != "":
		j.add(Deny, "text.unparsable", "", "nothing is left to execute", whole, -1)
	}
	if !j.p.set.AllowShell && !s.Plain {
		j.add(Deny, "shell.disabled", "", "", whole, -1)
	}
	for _, m := range s.Marks {
		j.add(Ask, "text.mark", "", m.Kind+" U+"+strings.ToUpper(strconv.FormatInt(int64(m.Rune), 16)), m.Span, -1)
	}
	for i := range s.Commands {
		if c := &s.Commands[i]; dashed(c.Name) {
			j.add(Ask, "text.mark", "", "dash in "+strconv.QuoteToASCII(c.Name), c.Span, i)
		}
	}
	if j.plan.Caller.Intent.Confirm() {
		j.add(Ask, "intent.confirm", "", j.plan.Caller.Intent.Why(), whole, -1)
	}
}

// dashed reports whether the name of a program has a dash in it that is not "-": whoever reads
// it takes it for another program.
func dashed(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII && (unicode.Is(unicode.Pd, r) || r == '\u2212') })
}

// Idle reports whether a text holds nothing to run: blanks and comments. A shell does nothing
// with it and succeeds, so nothing is refused.
func Idle(s *shellparse.Script) bool {
	if len(s.Commands) > 0 || len(s.Effects) > 0 || len(s.Opaque) > 0 || len(s.Codes) > 0 || len(s.Hazards) > 0 || strings.TrimSpace(s.Canonical) != "" {
		return false
	}
	for line := range strings.Lines(s.Text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}

// hazards judges what the command table knows to be dangerous whatever the names are.
// Risk 1 informs; fork bombs and their like are never what anyone wants.
func (j *judgement) hazards() {
	for _, h := range j.script.Hazards {
		d := Ask
		switch {
		case h.Risk <= 1:
			d = Allow
		case deniedHazards.has(h.Rule):
			d = Deny
		}
		if d == Ask && (j.lifted(h.Command, h.Risk) || j.begins(h.Command) && h.Rule == "code.agent") {
			continue
		}
		j.reasons = append(j.reasons, Reason{Rule: h.Rule, Decision: d, Risk: h.Risk, Message: h.Message,
			Span: h.Span, Command: h.Command, plain: h.Message})
	}
}

// hazard is one of the command table that the words of a command do not show by themselves.
func (j *judgement) hazard(rule string, span shellparse.Span, cmd int) {
	h, _ := command.LookupHazard(rule)
	if j.lifted(cmd, h.Risk) {
		return
	}
	j.reasons = append(j.reasons, Reason{Rule: h.Rule, Decision: Ask, Risk: h.Risk, Message: h.Message, Span: span, Command: cmd, plain: h.Message})
}

// deniedHazards are dangerous beyond anything that a person could mean to approve.
var deniedHazards = names{"shell.fork-bomb", "proc.fork-bomb"}

func (j *judgement) limits() {
	for _, l := range j.plan.Limits {
		j.add(Ask, "path.uncounted", "", strconv.Itoa(l.Count), j.span(l.Effect), -1)
	}
}

// levels applies security.command_level last, because it speaks about the others.
func (j *judgement) levels() {
	whole := shellparse.Span{End: len(j.script.Text)}
	level := j.p.set.Level
	if level.Always {
		j.add(Ask, "level.always", "", "", whole, -1)
	}
	if level.Never && j.strictest() == Ask {
		j.add(Deny, "level.never", "", "", whole, -1)
	}
}

func (j *judgement) strictest() Decision {
	d := Allow
	for _, r := range j.reasons {
		d = min(d, r.Decision)
	}
	return d
}

func (j *judgement) span(effect int) shellparse.Span {
	if effect < 0 || effect >= len(j.script.Effects) {
		return shellparse.Span{End: len(j.script.Text)}
	}
	return j.script.Effects[effect].Span
}

// verdict sorts the reasons, drops what is said twice, and draws the line.
func (j *judgement) verdict() Verdict {
	slices.SortStableFunc(j.reasons, func(a, b Reason) int {
		switch {
		case a.Decision != b.Decision:
			return int(a.Decision) - int(b.Decision)
		case a.Risk != b.Risk:
			return b.Risk - a.Risk
		}
		return a.Span.Start - b.Span.Start
	})
	v := Verdict{Decision: j.strictest(), Class: j.class(), Contained: j.contained, Standing: j.standing()}
	if len(j.reasons) == 0 {
		return v
	}
	type key struct {
		rule, path, message, file string
		span                      shellparse.Span
	}
	seen := make(map[key]bool, len(j.reasons))
	for _, r := range j.reasons {
		k := key{r.Rule, r.Path, r.Message, r.File, r.Span}
		if seen[k] {
			continue
		}
		seen[k] = true
		v.Risk = max(v.Risk, r.Risk)
		v.Reasons = append(v.Reasons, r)
	}
	v.Reasons = fold(v.Reasons)
	return v
}

// maxAlike is how many names one rule speaks of for one place of the text. The rest is a
// number: who has read three of the matches of a pattern knows the pattern.
const maxAlike = 3

// fold counts what is more of the same.
func fold(reasons []Reason) []Reason {
	type key struct {
		rule, file string
		decision   Decision
		span       shellparse.Span
	}
	at := map[key][]int{}
	out := reasons[:0]
	for _, r := range reasons {
		k := key{r.Rule, r.File, r.Decision, r.Span}
		if same := at[k]; len(same) == maxAlike {
			last := &out[same[maxAlike-1]]
			last.More++
			last.Message = last.In(English)
			continue
		}
		at[k] = append(at[k], len(out))
		out = append(out, r)
	}
	return out
}

// class is read_only when every command is known to change nothing and every name is only
// read. An unknown program is side_effecting.
func (j *judgement) class() Class {
	s := j.script
	if s.Err != nil || len(s.Commands) == 0 {
		return SideEffecting
	}
	for _, c := range s.Commands {
		if !c.ReadOnly || !c.Known && !c.Builtin {
			return SideEffecting
		}
	}
	for i := range s.Effects {
		if e := &s.Effects[i]; e.Right != command.Read && !j.harmless(i) {
			return SideEffecting
		}
	}
	for _, o := range s.Opaque {
		if o.Place < shellparse.InOption {
			return SideEffecting
		}
	}
	for _, c := range s.Codes {
		if c.Source != shellparse.Literal {
			return SideEffecting
		}
	}
	return ReadOnly
}

// harmless reports whether an effect is a write to /dev/null or its like.
func (j *judgement) harmless(effect int) bool {
	e := &j.script.Effects[effect]
	return e.Right == command.Write && e.Name.Static && (e.Name.Text == "/dev/null" || e.Name.Text == "/dev/stdout" || e.Name.Text == "/dev/stderr")
}
