package launcher

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/launcher/broker/network"
	"github.com/tada-run/tada-run/launcher/caller"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/pathguard"
)

// connectRule is the rule by which a connection is asked about.
const connectRule = "connect"

// connectRisk is its risk: the host gets what the program sends.
const connectRisk = 1

// request is the question about a connection, for the store. Its session does not name the
// workspace, so that a grant for every workspace is found in each.
func (w *wants) request(c network.Want) (approval.Request, error) {
	host, who, kind := c.Text(), identity(c.Program), "host and port"
	if c.Port == 0 {
		kind = "Unix socket, whose server is outside of the sandbox"
	}
	payload, err := canonical.Append(nil, trimmed(object{
		"version":        1,
		"work_item_id":   w.j.Request.WorkItem,
		"agent_name":     w.j.agent(),
		"workspace_root": w.j.Plan.Workspace,
		"tool_calls": []any{object{"tool_call_id": refusal.FirstCall, "tool_name": plan.ConnectTool,
			"args": trimmed(object{"command": w.title(c), "identity": who, "host": host,
				"leads": c.Leads, "for": w.j.Script.Text})}},
		"context": object{"cwd": w.j.Plan.Dir},
		"effects": object{"net": []any{host}},
		"reasons": []any{object{"rule": connectRule, "verdict": pathguard.Ask.String(),
			"message": "no rule allows this program to connect to this " + kind}},
		"fence": "this program may connect to this " + kind + "; nothing else changes",
		"risk":  connectRisk,
		"trust": w.j.trust().String(),
		"needs": w.j.needs(connectRisk),
	}))
	if err != nil {
		return approval.Request{}, err
	}
	sum := sha256.Sum256([]byte(fmt.Sprintf("%q", []string{who, host, c.Leads})))
	r := approval.Request{
		Session: fmt.Sprintf("%d/connect:%s", os.Getuid(), hex.EncodeToString(sum[:12])),
		Payload: payload, Budget: w.j.budget(), Person: w.asksHere(),
	}
	people, self := w.j.policy.Settings().Approval.For(connectRisk)
	if r.Quorum = people; !self {
		r.Requester = permit.Person()
	}
	return r, nil
}

// title is the question in one line.
func (w *wants) title(c network.Want) string {
	text := fmt.Sprintf("connect %s to %s", programName(c.Program), c.Text())
	if c.Leads != "" {
		text += " (" + c.Leads + ")"
	}
	return text
}

// page is the question as it stands on the terminal of the command; full has the texts as a whole.
func (w *wants) page(c network.Want, full bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s wants to connect to %s\n", notice.Visible(programName(c.Program)), c.Text())
	line := func(label, text string) {
		if text = notice.Visible(text); !full {
			text = notice.Clip(text)
		}
		if text != "" {
			fmt.Fprintf(&b, "  %-8s %s\n", label, text)
		}
	}
	line("command", w.j.Script.Text)
	line("program", c.Path)
	if identity(c.Program) == plan.OwnCode {
		line("", "which commands may write: an approval covers all such code here")
	}
	if full {
		line("bound to", identity(c.Program))
		line("agent", strings.TrimPrefix(w.j.agent(), "?"))
	}
	line("named by", w.namedBy(c))
	line("leads to", c.Leads)
	line("also", strings.Join(c.Also, ", "))
	line("in", w.j.Plan.Workspace)
	b.WriteString("y allows it for this run\n")
	return b.String()
}

// namedBy is the file of the workspace from which a package tool has the host, or "".
func (w *wants) namedBy(c network.Want) string {
	for _, g := range w.j.Plan.Registries {
		if g.Asks && g.Host == c.Text() {
			return g.From
		}
	}
	return ""
}

// budget names the limits that a question counts against: those of the processes that it comes
// from, in a workspace. A name that the caller chooses is no part of it.
func (j *Judgement) budget() string {
	folder := j.Request.Dir
	if j.Plan != nil {
		folder = j.Plan.Workspace
	}
	return fmt.Sprintf("%d/%s/%s", os.Getuid(), caller.Tree(os.Getpid()), folder)
}

// Asked is what a person is asked, and how many persons.
func (j *Judgement) Asked() approval.Request {
	q := approval.Request{
		Session: j.Asker(), Payload: j.Payload(), Budget: j.budget(),
		Person: j.Request.Ask != nil && j.Request.Within == nil, Through: j.through(),
	}
	people, self := j.policy.Settings().Approval.For(j.Verdict.Risk)
	if q.Quorum = people; !self {
		q.Requester = permit.Person()
	}
	return q
}
