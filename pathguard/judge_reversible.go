package pathguard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// loses notes whether what happens to a target can be taken back.
func (j *judgement) loses(t *resolve.Target, action Action, f *finding) {
	if !changes(t, action) {
		return
	}
	full := t.Path()
	for place := range places {
		if !f.in[place] {
			continue
		}
		if why := notKept(place); why != "" {
			if t.Exists || t.Unknown || place >= IsDevice { // else nothing is lost
				j.undo.add(Loss{Path: full, Why: why})
			}
			return
		}
	}
	if j.excepted(full) {
		j.undo.add(Loss{Path: full, Why: "undo.except names it"})
		return
	}
	j.undo.some = true
}

// excepted reports whether nothing is kept of a path, or of something below it.
func (j *judgement) excepted(full string) bool {
	return slices.ContainsFunc(j.plan.Caller.Undo.Except, func(name string) bool {
		return pathname.Within(full, name) || pathname.Within(name, full)
	})
}

// risks notes what the hazards of a script do that cannot be taken back.
func (j *judgement) risks(hazards []shellparse.Hazard) {
	for _, h := range hazards {
		if !isKept(h.Rule) && !j.fillsImage(h) {
			j.undo.add(Loss{Why: h.Message, Rule: h.Rule})
		}
	}
}

// upload is the rule about what sends notes, with the name of the other machine.
const upload = "net.upload"

// sends notes what leaves this machine.
func (j *judgement) sends() {
	for i := range j.script.Effects {
		if n := j.script.Effects[i].Net; n != nil && n.Upload {
			j.undo.add(Loss{Why: "what it sends to " + cmp.Or(n.Host, "another machine"),
				Rule: upload})
		}
	}
	for _, d := range Daemons(j.script, "what the service does is not kept") {
		j.undo.add(Loss{Why: d})
	}
}

// unread reports whether the plan runs something that does not tell what it changes.
func (j *judgement) unread() bool {
	return j.contained || slices.ContainsFunc(j.script.Commands,
		func(c shellparse.Command) bool { return !resolve.TellsWrites(&c) })
}

// reversible says whether what the plan does can be taken back, and what cannot.
func (j *judgement) reversible() (Reversible, []Loss) {
	kept := j.plan.Caller.Undo
	open := j.p.set.Network == NetOn
	if j.class() == ReadOnly {
		return WhollyReversible, nil
	}
	if !kept.On {
		return Irreversible, []Loss{{Why: kept.Why}}
	}
	l := j.undo
	for _, r := range j.reasons { // of code in other languages
		h, known := command.LookupHazard(r.Rule)
		if known && !isKept(h.Rule) && r.Rule != upload {
			l.add(Loss{Why: h.Message, Rule: h.Rule})
		}
	}
	if open && j.contained {
		l.add(Loss{Why: "what it sends over the network"})
	}
	for _, why := range kept.Lacks {
		l.add(Loss{Why: why})
	}
	contained := j.unread()
	if contained && j.excepted(j.plan.Workspace) {
		l.add(Loss{Why: fmt.Sprintf("what it changes below %s (undo.except)",
			strings.Join(kept.Except, ", "))})
	}
	switch {
	case len(l.list) == 0:
		return WhollyReversible, nil
	case l.some || contained:
		return PartlyReversible, l.list
	}
	return Irreversible, l.list
}
