package pathguard

import (
	"path"
	"strings"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse/command"
)

// A Fitting is a rule of the configuration that fits something in a plan, whether or not it
// decides.
type Fitting struct {
	Way
	Verdict Decision
	Source  string // FILE:LINE; "" where that is not known
}

// Fittings returns the rules of the configuration that fit a plan, in the order of the
// configuration.
func (p Policy) Fittings(plan *resolve.Plan) (list []Fitting) {
	add := func(i int, c candidate, v Decision) {
		w := c.way()
		f := Fitting{Way: w, Verdict: v}
		if from := p.sources[w.Key]; i < len(from) {
			f.Source = from[i].String()
		}
		list = append(list, f)
	}
	for i := range p.set.Commands {
		if r := &p.set.Commands[i]; p.fitsCommand(plan, r) {
			add(i, candidate{command: r}, r.Verdict)
		}
	}
	for i := range p.set.Paths {
		if r := &p.set.Paths[i]; p.fitsPath(plan, r) {
			add(i, candidate{path: r}, r.Verdict)
		}
	}
	for i := range p.set.Hosts {
		if r := &p.set.Hosts[i]; fitsHost(plan, r) {
			add(i, candidate{host: r}, r.Verdict)
		}
	}
	return list
}

func (p Policy) fitsCommand(plan *resolve.Plan, r *CommandRule) bool {
	for i := range plan.Script.Commands {
		c := &plan.Script.Commands[i]
		if c.Name != "" && path.Base(c.Name) == path.Base(r.Program) && r.matches(c) {
			return true
		}
	}
	return false
}

func (p Policy) fitsPath(plan *resolve.Plan, r *PathRule) bool {
	for i := range plan.Targets {
		fits := false
		p.tree.at(plan.Targets[i].Path(), func(m mark) {
			fits = fits || m.kind == markRule && m.rule == r
		})
		if fits && r.covers(plan.Targets[i].Right) {
			return true
		}
	}
	return false
}

func fitsHost(plan *resolve.Plan, r *HostRule) bool {
	for i := range plan.Script.Effects {
		e := &plan.Script.Effects[i]
		if e.Right != command.Net || e.Net == nil {
			continue
		}
		host := strings.ToLower(strings.TrimSuffix(e.Net.Host, "."))
		if hosts.Matches(host, r.Host) {
			return true
		}
	}
	return false
}
