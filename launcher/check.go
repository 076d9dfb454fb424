package launcher

import (
	"context"

	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
)

// Check is [Judgement.Check] with the standing approval by which an agent's session runs without a
// question.
func (l *Launcher) Check(ctx context.Context, j *Judgement) (Report, error) {
	r, err := j.Check("")
	if err != nil || !j.Lasts() || !l.HasStore() {
		return r, err
	}
	template, err := plan.Template(j.Payload())
	if err != nil {
		return r, err
	}
	grants, err := l.Grants(ctx)
	for _, g := range grants {
		if g.Session == j.Asker() && g.Template == template {
			r.Verdict, r.Grant = pathguard.Allow.String(), g.ID
		}
	}
	return r, err
}

// Check is Report with what a run would meet before its verdict counts: protected files that were
// changed from outside. The error is a [ProtectionError].
func (j *Judgement) Check(id string) (Report, error) {
	r := j.Report(id)
	e, err := j.Tampered()
	if err != nil {
		return Report{}, err
	}
	if e != nil {
		for _, f := range e.Findings {
			r.Tampered = append(r.Tampered, f.Path)
		}
	}
	return r, nil
}

// PolicyIn returns the policy for commands in dir: that of the state directory, made stricter by
// the workspace that dir is in. root is that workspace, "" for none.
func (l *Launcher) PolicyIn(dir string) (p pathguard.Policy, root string, err error) {
	j, err := l.Judge(Request{Dir: dir, Shell: Shell{Text: ":", Dialect: shellparse.Bash}})
	if err != nil {
		return pathguard.Policy{}, "", err
	}
	defer j.Close()
	return j.policy, j.Plan.Workspace, nil
}
