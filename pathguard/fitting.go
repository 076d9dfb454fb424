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
	for _, r := range p.rules() {
		if p.fits(plan, r.candidate) {
			list = append(list, r.Fitting)
		}
	}
	return list
}

// Rules returns the rules of the configuration, in its order.
func (p Policy) Rules() (list []Fitting) {
	for _, r := range p.rules() {
		list = append(list, r.Fitting)
	}
	return list
}

// Asking returns, for each rule that allows and that is not needed, one that asks about the same.
func (p Policy) Asking(needed map[Way]bool) (list []Way) {
	for _, r := range p.rules() {
		if r.Verdict == Allow && !needed[r.Way] {
			list = append(list, r.asking().way())
		}
	}
	return list
}

// A configuredRule is a rule of the configuration, and what it says.
type configuredRule struct {
	Fitting
	candidate
}

func (p Policy) rules() (list []configuredRule) {
	add := func(i int, c candidate, v Decision) {
		f := Fitting{Way: c.way(), Verdict: v}
		if from := p.sources[f.Key]; i < len(from) {
			f.Source = from[i].String()
		}
		list = append(list, configuredRule{f, c})
	}
	for i := range p.set.Commands {
		add(i, candidate{command: &p.set.Commands[i]}, p.set.Commands[i].Verdict)
	}
	for i := range p.set.Paths {
		add(i, candidate{path: &p.set.Paths[i]}, p.set.Paths[i].Verdict)
	}
	for i := range p.set.Hosts {
		add(i, candidate{host: &p.set.Hosts[i]}, p.set.Hosts[i].Verdict)
	}
	return list
}

// fits reports whether a rule is about something of a plan.
func (p Policy) fits(plan *resolve.Plan, c candidate) bool {
	switch {
	case c.command != nil:
		return p.fitsCommand(plan, c.command)
	case c.path != nil:
		return p.fitsPath(plan, c.path)
	}
	return fitsHost(plan, c.host)
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
