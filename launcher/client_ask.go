package launcher

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/launcher/client"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/pathguard"
)

// What an agent's session opens is a separate question, without the words that its program is
// called with: the answer counts for later sessions of it in the workspace. If something else in
// the command line asks, both are asked together, each time.

// sessionRule is the rule by which what a session opens is asked.
const sessionRule = "session.agent"

// Lasts reports whether what is asked is only what the session opens.
func (j *Judgement) Lasts() bool {
	return j.client != nil && j.Verdict.Decision == pathguard.Ask &&
		!slices.ContainsFunc(j.Verdict.Reasons, func(r pathguard.Reason) bool {
			return r.Decision == pathguard.Ask && r.Rule != sessionRule
		})
}

// sealSession is what an approval of that binds: the program, and everything that it gets.
func (j *Judgement) sealSession() sealed {
	payload, err := canonical.Append(nil, trimmed(object{
		"version":        1,
		"work_item_id":   "",
		"workspace_root": j.Plan.Workspace,
		"tool_calls": []any{object{"tool_call_id": refusal.FirstCall,
			"tool_name": plan.SessionTool,
			"args": trimmed(object{"command": "tada-run --session -- " + j.client.Agent,
				"program": j.client.Program, "sum": j.client.Sum})}},
		"effects": trimmed(j.client.Effects()),
		"reasons": j.sessionReason(),
		"fence":   "may write the workspace, /tmp, caches and the paths above; no other host",
		"risk":    j.Verdict.Risk,
		"trust":   j.trust().String(),
		"needs":   j.needs(j.Verdict.Risk),
	}))
	if err != nil {
		return sealed{}
	}
	return sealed{payload, plan.Hash(payload)}
}

// sessionReason is why it is asked, without the place in the command line, which is another one
// with other words.
func (j *Judgement) sessionReason() []any {
	i := slices.IndexFunc(j.Verdict.Reasons,
		func(r pathguard.Reason) bool { return r.Rule == sessionRule })
	return []any{object{"rule": sessionRule, "verdict": pathguard.Ask.String(),
		"message": j.Verdict.Reasons[i].In(pathguard.English)}}
}

// folder names the session's folder among those of its agent.
func (j *Judgement) folder() string {
	sum := sha256.Sum256([]byte(j.Plan.Workspace))
	return j.client.Agent + ":" + hex.EncodeToString(sum[:8])
}

// Asker is the session that an approval belongs to. The plan itself binds directory, command and
// agent.
func (j *Judgement) Asker() string {
	if j.Lasts() {
		return fmt.Sprintf("%d/session:%s", os.Getuid(), j.folder())
	}
	return fmt.Sprintf("%d/%s", os.Getuid(), j.agent())
}

// clientOf returns the agent's program that a request begins a session for, nil if it is none that
// is known. On a machine without people there is no one to ask.
func (l *Launcher) clientOf(req Request, p *pathguard.Plan, policy pathguard.Policy) *client.Client {
	if req.Hold == nil || req.Hold.Shell || req.Profile == profileCI {
		return nil
	}
	files := client.Files{Home: l.account, State: l.state.Dir, Policy: policy}
	return client.Of(files, p, req.Shell.Words, req.Env)
}
