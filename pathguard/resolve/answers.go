package resolve

import "github.com/tada-run/tada-run/pathguard/walk"

// Answers are what a judgement asked about the disk, beyond what the plan says. A plan without a
// disk repeats them.
type Answers struct {
	Agents *[]string       // Local.Agents
	Linked *[]string       // Surroundings.LinkedOutside
	Links  bool            // that could be asked
	Loads  bool            // and which agents work here
	Unsure *string         // Kept.Unsure
	Wrote  map[string]bool // Local.Wrote, by path
	Hidden *Hidden         // Plan.HiddenBy
}

// Hidden are the names that a search would have met, by the rules that hide them.
type Hidden struct {
	Rules string
	Names []string
}

// Asked calls judge and returns what it asked about the disk.
func (p *Plan) Asked(judge func()) (a Answers) {
	local, linked, hidden := p.Caller.Local, p.linked, p.hidden
	a.Links, a.Loads = linked != nil, local.Agents != nil
	defer func() {
		p.Caller.Local = local
		p.eachInner(func(in *Plan) { in.Caller.Agents = local.Agents })
		p.linked, p.hidden = linked, hidden
	}()
	p.hidden = func(rules string, look func() []string) []string {
		if a.Hidden == nil || a.Hidden.Rules != rules {
			a.Hidden = &Hidden{rules, look()}
		}
		return a.Hidden.Names
	}
	if f := local.Agents; f != nil {
		p.Caller.Agents = func() []string { return note(&a.Agents, f()) }
		p.eachInner(func(in *Plan) { in.Caller.Agents = p.Caller.Agents })
	}
	if linked != nil {
		p.linked = func() []string { return note(&a.Linked, linked()) }
	}
	if f := local.Undo.Unsure; f != nil {
		p.Caller.Undo.Unsure = func() string { return note(&a.Unsure, f()) }
	}
	p.Caller.Wrote = func(t *Target) bool {
		if a.Wrote == nil {
			a.Wrote = map[string]bool{}
		}
		a.Wrote[t.Path()] = local.Wrote != nil && local.Wrote(t)
		return a.Wrote[t.Path()]
	}
	judge()
	return a
}

func note[T any](at **T, answer T) T {
	*at = &answer
	return answer
}

func (p *Plan) eachInner(do func(*Plan)) {
	for i := range p.Inner {
		do(p.Inner[i].Plan)
		p.Inner[i].Plan.eachInner(do)
	}
}

// Repeat makes a plan that has no disk, with the scripts in it, answer from now on as a says. A
// question that nobody had asked gets no answer, and sets missing.
func (p *Plan) Repeat(a Answers, missing *bool) {
	p.withoutInodes(p.Caller.Self)
	if a.Loads {
		p.Caller.Agents = func() []string { return repeat(a.Agents, missing) }
	}
	p.Caller.Wrote = func(t *Target) bool {
		wrote, known := a.Wrote[t.Path()]
		*missing = *missing || !known
		return wrote
	}
	p.hidden = func(rules string, _ func() []string) []string {
		if a.Hidden == nil || a.Hidden.Rules != rules {
			*missing = true
			return nil
		}
		return a.Hidden.Names
	}
	if a.Links {
		p.linked = func() []string { return repeat(a.Linked, missing) }
	}
	p.eachInner(func(in *Plan) { in.Caller, in.Workspace, in.Dir = p.Caller, p.Workspace, p.Dir })
}

// withoutInodes removes the inodes of a plan.
func (p *Plan) withoutInodes(self walk.ID) {
	for i := range p.Targets {
		p.Targets[i].WithoutInodes(self)
	}
	for i := range p.Programs {
		p.Programs[i].WithoutInode(self)
	}
	for i := range p.Inner {
		p.Inner[i].Plan.withoutInodes(self)
	}
}

// Certain is Kept.Unsure as the answers have it.
func (a Answers) Certain(missing *bool) func() string {
	return func() string { return repeat(a.Unsure, missing) }
}

func repeat[T any](answer *T, missing *bool) (none T) {
	if answer == nil {
		*missing = true
		return none
	}
	return *answer
}
