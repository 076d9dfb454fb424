package launcher

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// object is one JSON object of the payload.
type object = map[string]any

// sealed is what an approval binds.
type sealed struct {
	payload []byte
	hash    string
}

// seal is the plan and its context in canonical bytes. Its hash binds an approval, so
// whatever could change what the run does must stand in it, and nothing that differs between
// two calls of the same command: no time, no id, no size of a terminal.
//
// What a person can judge stands in it as it is. What only has to be the same when it runs
// (inodes, sizes, times, the environment, whose values may be secrets) stands in it as a
// digest: a page that a person reads to its end protects better than a complete one.
//
// There is no plan that cannot be spelled; one that could not would have no hash, and run nothing.
func (j *Judgement) seal() sealed {
	if j.lasts() {
		return j.sealSession()
	}
	fence := j.fence()
	plan := trimmed(object{
		"version":        1,
		"work_item_id":   j.Request.WorkItem,
		"agent_name":     j.agent(),
		"workspace_root": j.Plan.Workspace,
		"toolset_mode":   j.mode(),
		"tool_calls":     []any{j.toolCall()},
		"context":        j.context(),
		"effects":        j.effectText(),
		"targets":        j.targets(),
		"reasons":        j.reasons(),
		"opaque":         j.opaque(),
		"fence":          j.fenceText(),
		"risk":           j.Verdict.Risk,
		"trust":          j.trust().String(),
		"needs":          j.needs(j.Verdict.Risk),
		"agent_says":     j.Plan.Caller.Intent.Hint,
		"bound":          sumOf(j.Plan.Facts(), fence.Facts(), []byte(j.settings)),
	})
	if j.client != nil {
		plan["passes_on"] = strings.Join(j.client.keys, ", ")
	}
	payload, err := canonical.Append(make([]byte, 0, 2048), plan)
	if err != nil {
		return sealed{}
	}
	return sealed{payload, approval.PlanHash(payload)}
}

// sumOf is the SHA-256 of pieces that each say where they end, in hex.
func sumOf(pieces ...[]byte) string {
	h := sha256.New()
	for _, p := range pieces {
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// trimmed drops what is empty: a page that lists what does not apply hides what does. No two
// plans become the same by it, because every reader takes a missing member for an empty one.
func trimmed(o object) object {
	for name, value := range o {
		switch v := value.(type) {
		case string:
			if v == "" {
				delete(o, name)
			}
		case []any:
			if len(v) == 0 {
				delete(o, name)
			}
		case []string:
			if len(v) == 0 {
				delete(o, name)
			}
		case object:
			trimmed(v)
		}
	}
	return o
}

// agent is the name that the caller gave itself. It cannot be checked, and says so.
func (j *Judgement) agent() string {
	name := approval.AgentName(j.Request.Agent, j.Request.Env)
	if name == "" {
		return ""
	}
	return "?" + name
}

// trust is how far the origin of a request is trusted. This is the agent's door, whoever stands at
// it, and no name or variable raises that: what runs inside a fence asks nothing of its own. The caller and the
// policy can only lower it.
func (j *Judgement) trust() approval.Level {
	level := approval.Agent
	if j.policy.Settings().Approval.Quarantined {
		level = approval.Quarantined
	}
	if j.Request.Origin != "" {
		level = approval.Inherit(level, approval.ParseLevel(j.Request.Origin))
	}
	return level
}

// needs tells who has to answer, where that is more than one person: on the page, and bound by the plan.
func (j *Judgement) needs(risk int) string {
	people, self := j.policy.Settings().Approval.For(risk)
	switch {
	case people > 1 && self:
		return fmt.Sprintf("approvals by %d different people", people)
	case people > 1:
		return fmt.Sprintf("approvals by %d different people other than this account", people)
	case !self:
		return "approval by someone other than this account"
	}
	return ""
}

func (j *Judgement) mode() string {
	mode := j.policy.Settings().Level.String()
	if j.Request.Profile != "" {
		mode += "/" + j.Request.Profile
	}
	return mode
}

// firstCall names the only call of a single command. The caller's own id for it is recorded,
// not bound: clients number their calls, and a number would make every repetition new.
const firstCall = "c1"

func (j *Judgement) toolCall() object {
	s := j.Request.Shell
	args := object{
		"command": j.Script.Text, "canonical": j.Script.Canonical, "stdin": j.stdin,
		"args": s.Args, "shell_flags": s.Flags,
	}
	if namesItself(s.Text) { // else it does not matter by which door the command came
		args["name"] = s.Name
	}
	if s.Name != "tada-run" {
		args["inside"] = nestedText(j.Script)
	}
	name := "shell"
	if t := j.Request.Tool; t != nil {
		name, args = "tool:"+t.Name, t.args(j.Script)
	} else if words := s.words(j.shell); words != nil {
		name, args["argv"] = "exec", words
		delete(args, "args") // they stand in it
	}
	return object{"tool_call_id": firstCall, "tool_name": name, "args": trimmed(args)}
}

// namesItself reports whether a text may say the name that its shell was called by.
func namesItself(text string) bool {
	return strings.Contains(text, "$0") || strings.Contains(text, "${0") || strings.Contains(text, "ARGV0")
}

func (j *Judgement) context() object {
	return object{
		"cwd": j.Plan.Dir, "shell": j.shell, "version": j.version,
		"bound": digestOf(object{
			"env": j.environ.sum, "env_named": j.namedLoose(), "folders": j.openFolders(), "uid": os.Getuid(), "umask": j.umask, "policy": j.policy.Digest(),
		}),
	}
}

// digestOf is the SHA-256 of a value's canonical bytes, in hex.
func digestOf(v any) string {
	b, err := canonical.Append(nil, v)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func (j *Judgement) effectText() object {
	o := object{}
	for kind, names := range j.named() {
		if len(names) > 0 {
			o[kind] = names
		}
	}
	return o
}

// targets lists what is changed, and what is reached through a symbolic link: there the name
// that was written does not tell where it leads.
func (j *Judgement) targets() []any {
	var list []any
	for plan := range plans(j.Plan) {
		for i := range plan.Targets {
			t := &plan.Targets[i]
			if t.Right == command.Read && len(t.Links) == 0 {
				continue
			}
			list = append(list, object{"right": effectNames[t.Right], "name": t.Name, "real": t.Path()})
		}
	}
	return list
}

// reasons are the rules that decided.
func (j *Judgement) reasons() []any {
	var list []any
	for _, r := range j.Verdict.Reasons {
		if r.Decision == pathguard.Allow {
			continue
		}
		list = append(list, trimmed(object{
			"rule": r.Rule, "verdict": r.Decision.String(), "message": r.In(pathguard.English), "span": spanOf(r.Span),
			"instead": r.Instead,
		}))
	}
	return list
}

func (j *Judgement) opaque() []any {
	var list []any
	for _, o := range j.Script.Opaque {
		list = append(list, object{"text": o.Text, "why": o.Why})
	}
	return list
}

func spanOf(s shellparse.Span) []any { return []any{s.Start, s.End} }
