package replay

import (
	"path"
	"path/filepath"

	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/frozen"
	"github.com/tada-run/tada-run/shellparse/command"
)

// A Judge judges recorded plans under one policy. It reads nothing from the disk.
type Judge struct {
	Policy pathguard.Policy
	Home   string
	// a bundle, for every account; policy and home are not used then
	bundle *pathguard.ConfigFile
	homes  map[string]*Judge
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
	ErrOtherVersion notJudged = "recorded by a version of tada-run with other plans"
	ErrOtherAccount notJudged = "recorded for an account with another home"
	ErrUnanswered   notJudged = "the verdict depends on files that were not looked at then"
	ErrPrograms     notJudged = "the policies know a program of it differently"
	errHidden       notJudged = "a credential in its words is hidden"
	errNoPlan       notJudged = "its plan cannot be read"
)

func (n notJudged) Error() string { return string(n) }

// Verdict is what the policy says about a recorded plan, or why it cannot be said.
func (r *Judge) Verdict(f *frozen.Frozen) (pathguard.Verdict, error) {
	r = r.of(f.Plan.Caller.Home)
	switch {
	case f.Hidden:
		return pathguard.Verdict{}, errHidden
	case f.Plan.Caller.Home != r.Home:
		return pathguard.Verdict{}, ErrOtherAccount
	}
	if !r.reads(f) {
		return pathguard.Verdict{}, ErrPrograms
	}
	p, err := r.at(f)
	if err != nil {
		return pathguard.Verdict{}, err
	}
	none := func() string { return "" } // its answer is on record
	f.Plan.Caller.Undo = f.Kept(r.Policy.UndoOf(r.Home).Kept(f.Undo.Not, f.Undo.Session,
		r.Policy.Settings().KeepBackground, none))
	v := verdict(p, f)
	if f.Unanswered() {
		return pathguard.Verdict{}, ErrUnanswered
	}
	return v, nil
}

// Beside is what the policy says about a plan of a run of now, in its workspace. unsure says why it
// is not certain, for reasons of this machine, that undo keeps all of it.
func (r Judge) Beside(f frozen.Frozen,
	unsure func(pathguard.Undo) string) (pathguard.Verdict, error) {
	if !r.reads(&f) {
		return pathguard.Verdict{}, ErrPrograms
	}
	plan := *f.Plan // its own answers about undo
	f.Plan = &plan
	p, err := r.at(&f)
	if err != nil {
		return pathguard.Verdict{}, err
	}
	set := p.UndoOf(r.Home)
	plan.Caller.Undo = set.Kept(f.Undo.Not, f.Undo.Session, p.Settings().KeepBackground,
		func() string { return unsure(set) })
	return verdict(p, &f), nil
}

func verdict(p pathguard.Policy, f *frozen.Frozen) pathguard.Verdict {
	v := p.JudgeCall(f.Plan, f.Call)
	if f.Lines {
		v = v.LineByLine()
	}
	return v
}

// of judges for an account with a home, where this is about a bundle.
func (r *Judge) of(home string) *Judge {
	if r.bundle == nil {
		return r
	}
	if one, ok := r.homes[home]; ok {
		return one
	}
	p, err := pathguard.Load(pathguard.Account{Home: home, EnvHome: home,
		StateDir: filepath.Join(home, ".tada")}, *r.bundle)
	if err != nil {
		return &Judge{} // which is of no account
	}
	if r.homes == nil {
		r.homes = map[string]*Judge{}
	}
	one := &Judge{Policy: p, Home: home}
	r.homes[home] = one
	return one
}

// by are the rules of the configuration that have this verdict on a plan.
func (r *Judge) by(f *frozen.Frozen, d pathguard.Decision) []string {
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
func (r *Judge) at(f *frozen.Frozen) (pathguard.Policy, error) {
	if f.Rules == "" {
		return r.Policy, nil
	}
	key := rulesAt{f.Plan.Workspace, f.Rules, f.Accepted}
	if p, ok := r.tighter[key]; ok {
		return p, nil
	}
	file := pathguard.WorkspaceConfig(key.root)
	file.Draft, file.Accepted = []byte(key.text), key.accepted
	p, err := r.Policy.Tighten(file)
	if err != nil {
		return p, err
	}
	if r.tighter == nil {
		r.tighter = map[rulesAt]pathguard.Policy{}
	}
	r.tighter[key] = p
	return p, nil
}

// reads reports whether the policy would have read the commands of a plan as they were read.
func (r *Judge) reads(f *frozen.Frozen) bool {
	if f.Programs == r.Policy.Settings().Programs {
		return true
	}
	table, err := command.Parse(f.Programs)
	return err == nil && agree(f.Plan, table, r.Policy.Programs())
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
