package launcher

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
)

// What an agent's session opens is a question of its own, without the words that its program is called with: the answer
// counts for later sessions of it in the workspace. Where something else of the command line asks, it is asked with that,
// each time.

// sessionRule is the rule by which what a session opens is asked.
const sessionRule = "session.agent"

// lasts reports whether what is asked is only what the session opens.
func (j *Judgement) lasts() bool {
	return j.client != nil && j.Verdict.Decision == pathguard.Ask &&
		!slices.ContainsFunc(j.Verdict.Reasons, func(r pathguard.Reason) bool { return r.Decision == pathguard.Ask && r.Rule != sessionRule })
}

// sealSession is what a yes to that binds: the program, and all that it gets.
func (j *Judgement) sealSession() sealed {
	payload, err := canonical.Append(nil, trimmed(object{
		"version":        1,
		"work_item_id":   "",
		"workspace_root": j.Plan.Workspace,
		"tool_calls":     []any{object{"tool_call_id": firstCall, "tool_name": approval.SessionTool, "args": trimmed(object{"command": "tada-run --session -- " + j.client.agent, "program": j.client.program, "sum": j.client.sum})}},
		"effects":        j.client.effects(),
		"reasons":        j.sessionReason(),
		"fence":          "may write the workspace, temporary files, caches and the paths above; no other host",
		"risk":           j.Verdict.Risk,
		"trust":          j.trust().String(),
		"needs":          j.needs(j.Verdict.Risk),
	}))
	if err != nil {
		return sealed{}
	}
	return sealed{payload, approval.PlanHash(payload)}
}

// effects are what the session opens beside what every command has.
func (c *client) effects() object {
	write := c.writes()
	for i, name := range write { // as a person reads them
		if rest, ok := strings.CutPrefix(name, c.home+"/"); ok {
			write[i] = "~/" + rest
		}
	}
	return trimmed(object{"write": write, "net": c.hosts, "pass on": strings.Join(c.keys, ", ")})
}

// writes are the session's own folder and the credentials.
func (c *client) writes() []string { return append([]string{c.dir}, c.logins...) }

// sessionReason is why it is asked, without the place in the command line, which is another one with other words.
func (j *Judgement) sessionReason() []any {
	i := slices.IndexFunc(j.Verdict.Reasons, func(r pathguard.Reason) bool { return r.Rule == sessionRule })
	return []any{object{"rule": sessionRule, "verdict": pathguard.Ask.String(), "message": j.Verdict.Reasons[i].In(pathguard.English)}}
}

// facts are what the record and the page of another question say of the session.
func (c *client) facts() object {
	return trimmed(object{"agent": c.agent, "program": c.program, "folder": c.dir, "logins": c.logins, "hosts": c.hosts, "keys": c.keys})
}

// folder names the session's folder among those of its agent.
func (j *Judgement) folder() string {
	sum := sha256.Sum256([]byte(j.Plan.Workspace))
	return j.client.agent + ":" + hex.EncodeToString(sum[:8])
}

// enlist makes the yes to what a session opens a standing approval, and uses it. As after every answer, the request is
// judged anew.
func (q *openQuestion) enlist(ctx context.Context, id string) (*Refusal, error) {
	l := q.l
	fresh, err := q.rejudge()
	if err != nil {
		return nil, err
	}
	q.renew(fresh)
	e, err := l.store.Get(ctx, id)
	if err != nil {
		return q.storeRefusal(err)
	}
	err = l.change(q.log, audit.Durable, func() (events []approval.Event, err error) {
		if !fresh.lasts() || e.Decision == nil {
			return nil, &approval.Refused{Envelope: id, Outcome: approval.OutcomeMismatch, Err: approval.ErrMismatch}
		}
		_, events, err = l.store.Grant(ctx, approval.GrantRequest{Envelope: id, PlanHash: fresh.Hash(), Approver: e.Decision.Approver, Channel: e.Decision.Channel})
		if err != nil {
			return events, err
		}
		cancelled, err := l.store.Cancel(ctx, id, "it became a grant")
		return append(events, cancelled...), err
	})
	if err != nil {
		return q.storeRefusal(err)
	}
	if err := q.useGrant(ctx); err != nil || q.grant != "" {
		return nil, err
	}
	return q.storeRefusal(&approval.Refused{Envelope: id, Outcome: approval.OutcomeMismatch, Err: approval.ErrMismatch})
}

// Check is [Judgement.Check] with the standing approval by which an agent's session runs without a question.
func (l *Launcher) Check(ctx context.Context, j *Judgement) (Report, error) {
	r, err := j.Check("")
	if err != nil || !j.lasts() || !l.hasStore() {
		return r, err
	}
	template, err := approval.Template(j.Payload())
	if err != nil {
		return r, err
	}
	grants, err := l.Grants(ctx)
	for _, g := range grants {
		if g.Session == j.askerOf() && g.Template == template {
			r.Verdict, r.Grant = pathguard.Allow.String(), g.ID
		}
	}
	return r, err
}

// askerOf is the session that an approval belongs to. The plan itself binds directory, command and agent.
func (j *Judgement) askerOf() string {
	if j.lasts() {
		return fmt.Sprintf("%d/session:%s", os.Getuid(), j.folder())
	}
	return fmt.Sprintf("%d/%s", os.Getuid(), j.agent())
}

// opens adds to the fence what the session of an agent has beside the workspace.
func (j *Judgement) opens(p *sandbox.Profile, folder string) {
	if j.client == nil {
		return
	}
	p.Write = append(p.Write, sandbox.Path{Name: folder})
	for _, name := range j.client.logins {
		p.Hide = slices.DeleteFunc(p.Hide, func(hidden string) bool { return hidden == name })
		p.Write = append(p.Write, sandbox.Path{Name: name, Optional: true})
	}
}
