package pathguard

import (
	"slices"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse/command"
)

// Fence derives what a plan may reach once it is allowed, by the policy or by a person. The files
// in the result are the plan's own and live as long as the plan. It lists a few directories (the
// home, the workspace, and below the workspace when what runs is not wholly known), because only
// existing names can be hidden.
func (p Policy) Fence(plan *resolve.Plan) Fence { return p.fence(plan, true) }

// Grants is Fence without the parts that depend on the disk: Hide and ReadOnly are left out, and an
// inexact plan may write the workspace alone, without temporary files and caches. No directory is
// read. An approval binds this much. The files to hide may change between a question and its
// answer, and the run is still the one that was asked for.
func (p Policy) Grants(plan *resolve.Plan) Fence { return p.fence(plan, false) }

func (p Policy) fence(plan *resolve.Plan, hiding bool) Fence {
	if p.tree == nil || plan == nil || plan.Script == nil {
		return Fence{}
	}
	j := judgement{p: &p, plan: plan, script: plan.Script, homes: p.homes}
	if hiding {
		j.disk = walk.OpenDisk()
		defer j.disk.Close()
	}
	f := Fence{Require: p.set.Require, PrivateTmp: p.set.PrivateTmp}
	class := j.class()
	f.Exact = class == ReadOnly || plan.Exact()
	j.writes(&f)
	j.names(&f)
	if hiding {
		j.hides(&f)
	}
	j.reach(&f, class)
	return f
}

// names adds what follows from the names of the plan and of the files that it executes: a person
// who approved a script has been shown what it writes elsewhere.
func (j *judgement) names(f *Fence) {
	j.reveals(f)
	for _, k := range j.files() {
		k.writesNamed(f)
		k.names(f)
		k.hosts(f)
	}
}

// reach decides whether the sandbox has a network, and which hosts the plan contacts.
func (j *judgement) reach(f *Fence, class Class) {
	j.hosts(f)
	if j.p.set.Network == NetOn && class != ReadOnly {
		f.Network, f.Hosts = true, nil
	}
}

func (j *judgement) hosts(f *Fence) {
	for i := range j.script.Effects {
		e := &j.script.Effects[i]
		if e.Right != command.Net || e.Net != nil && hosts.IsLoopback(e.Net.Host) && e.Net.Static {
			continue
		}
		f.Network = true
		host := ""
		switch {
		case e.Net == nil || !e.Net.Static || e.Net.Scheme == hosts.RemoteScheme:
		default:
			host = e.Net.Host
		}
		if host != "" && !slices.Contains(f.Hosts, host) {
			f.Hosts = append(f.Hosts, host)
		}
	}
}

// reveals grants reading for the secrets that the plan names: a person has seen them.
func (j *judgement) reveals(f *Fence) {
	for i := range j.plan.Targets {
		t := &j.plan.Targets[i]
		if a := actionOf(t); a != ToRead && a != ToExecute || t.Kind != walk.Plain || !t.Exists ||
			t.Unknown {
			continue
		}
		found := j.find(t, ToRead)
		if found.in[InSecret] && !found.in[InRestricted] && !found.in[InState] {
			f.Reveal = append(f.Reveal,
				Grant{Path: t.Real, File: t.File(), Tree: t.Flags&command.Recursive != 0})
		}
	}
}
