package launcher

import (
	"path"
	"path/filepath"

	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/frozen"
	"github.com/tada-run/tada-run/shellparse/command"
)

// A rejudge judges recorded plans under one policy. It reads nothing from the disk.
type rejudge struct {
	policy pathguard.Policy
	home   string
	// a bundle, for every account; policy and home are not used then
	bundle *pathguard.ConfigFile
	homes  map[string]*rejudge
	// the policy in a workspace with a configuration of its own
	tighter map[rulesAt]pathguard.Policy
}

// rulesAt is the configuration of a workspace.
type rulesAt struct {
	root, text string
	accepted   bool
}

// A notJudged is why a recorded plan cannot be judged under a policy.
type notJudged string

const (
	errOtherVersion notJudged = "recorded by a version of tada-run with other plans"
	errOtherAccount notJudged = "recorded for an account with another home"
	errUnanswered   notJudged = "the verdict depends on files that were not looked at then"
	errPrograms     notJudged = "the policies know a program of it differently"
	errHidden       notJudged = "a credential in its words is hidden"
	errNoPlan       notJudged = "its plan cannot be read"
)

func (n notJudged) Error() string { return string(n) }

// judge is what the policy says about a recorded plan, or why it cannot be said.
func (r *rejudge) judge(f *frozen.Frozen) (pathguard.Verdict, error) {
	r = r.of(f.Plan.Caller.Home)
	switch {
	case f.Hidden:
		return pathguard.Verdict{}, errHidden
	case f.Plan.Caller.Home != r.home:
		return pathguard.Verdict{}, errOtherAccount
	}
	if f.Programs != r.policy.Settings().Programs {
		table, err := command.Parse(f.Programs)
		if err != nil || !agree(f.Plan, table, r.policy.Programs()) {
			return pathguard.Verdict{}, errPrograms
		}
	}
	p, err := r.at(f)
	if err != nil {
		return pathguard.Verdict{}, err
	}
	none := func() string { return "" } // its answer is on record
	f.Plan.Caller.Undo = f.Kept(keepsOf(f.Undo, undoUnder(r.policy, r.home),
		r.policy.Settings().KeepBackground, none))
	v := p.Judge(f.Plan)
	if f.Lines {
		v = lineByLine(v)
	}
	if f.Unanswered() {
		return pathguard.Verdict{}, errUnanswered
	}
	return v, nil
}

// of judges for an account with a home, where this is about a bundle.
func (r *rejudge) of(home string) *rejudge {
	if r.bundle == nil {
		return r
	}
	if one, ok := r.homes[home]; ok {
		return one
	}
	p, err := pathguard.Load(pathguard.Account{Home: home, EnvHome: home,
		StateDir: filepath.Join(home, ".tada")}, *r.bundle)
	if err != nil {
		return &rejudge{} // which is of no account
	}
	if r.homes == nil {
		r.homes = map[string]*rejudge{}
	}
	one := &rejudge{policy: p, home: home}
	r.homes[home] = one
	return one
}

// by are the rules of the configuration that have this verdict on a plan.
func (r *rejudge) by(f *frozen.Frozen, d pathguard.Decision) []string {
	list := []string{}
	r = r.of(f.Plan.Caller.Home)
	p, _ := r.at(f)
	for _, fit := range p.Fittings(f.Plan) {
		if fit.Verdict == d {
			list = append(list, fit.Key+": "+fit.Entry)
		}
	}
	return list
}

// at is the policy in the workspace of a plan, as that was then.
func (r *rejudge) at(f *frozen.Frozen) (pathguard.Policy, error) {
	if f.Rules == "" {
		return r.policy, nil
	}
	key := rulesAt{f.Plan.Workspace, f.Rules, f.Accepted}
	if p, ok := r.tighter[key]; ok {
		return p, nil
	}
	file := workspaceRules(key.root)
	file.Draft, file.Accepted = []byte(key.text), key.accepted
	p, err := r.policy.Tighten(file)
	if err != nil {
		return p, err
	}
	if r.tighter == nil {
		r.tighter = map[rulesAt]pathguard.Policy{}
	}
	r.tighter[key] = p
	return p, nil
}

// agree reports whether two tables have the same about the programs of a plan.
func agree(p *pathguard.Plan, a, b command.Table) bool {
	for i := range p.Script.Commands {
		if !a.Agrees(b, path.Base(p.Script.Commands[i].Name)) {
			return false
		}
	}
	for i := range p.Inner {
		if !agree(p.Inner[i].Plan, a, b) {
			return false
		}
	}
	return true
}
