package launcher

import (
	"context"
	"errors"
	"fmt"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
)

// Check is [Judgement.Check] with the standing approval by which an agent's session runs without a
// question.
func (l *Launcher) Check(ctx context.Context, j *Judgement) (Report, error) {
	r, err := j.Check("")
	if err != nil {
		return r, err
	}
	if r.Offline = l.offline(j); r.Offline != "" {
		return r, nil
	}
	if l.HasStore() {
		r.Granted, err = l.grantedHosts(ctx, j)
	}
	if errors.Is(err, approval.ErrOffline) { // it may run, without what grants allow
		return r, nil
	}
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
	if j.Verdict.IsFrozen() {
		return r, nil
	}
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
	j, err := l.Judge(Request{Dir: dir, Shell: shell.Call{Text: ":", Dialect: shellparse.Bash}})
	if err != nil {
		return pathguard.Policy{}, "", err
	}
	defer j.Close()
	return j.policy, j.Plan.Workspace, nil
}

// grantedHosts are the connections that grants of this workspace, or of every one, allow, each with
// its program; none for a command that has no network.
func (l *Launcher) grantedHosts(ctx context.Context, j *Judgement) (list []string, err error) {
	if j.contacts().mode != sandbox.Hosts {
		return nil, nil
	}
	grants, err := l.Grants(ctx)
	for _, g := range grants {
		host, program, workspace, ok := plan.Connection(g.Payload)
		if ok && (workspace == "" || workspace == j.Plan.Workspace) {
			list = append(list, fmt.Sprintf("%s (%s, grant %s)", host, program, g.ID))
		}
	}
	return list, err
}
