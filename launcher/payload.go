package launcher

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
)

// object is one JSON object of the payload.
type object = map[string]any

// shownEnv are variables whose values stand in the payload; all others are bound by a hash,
// because their values may be secrets and a payload is shown and kept.
var shownEnv = []string{"PATH", "HOME", "SHELL", "USER", "LOGNAME", "LANG", "TERM", "TZ", "TMPDIR", "EDITOR", "PAGER", "GIT_EDITOR", "GIT_PAGER"}

// volatileEnv differ from call to call without meaning anything to a command: the shell's own
// bookkeeping, the terminal's size, and the call ids that clients put in. Bound, they would
// make the identical command another one, and no approval could be used after a wait.
var volatileEnv = []string{
	"_", "OLDPWD", "SHLVL", "COLUMNS", "LINES", "WINDOWID", "TERM_SESSION_ID", "TMUX_PANE",
	"CODEX_TOOL_CALL_ID", "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "CLAUDE_EFFORT",
}

// payload is the plan and its context in canonical bytes. Its hash binds an approval, so
// whatever could change what the run does must stand in it, and nothing that differs between
// two calls of the same command: no time, no id, no size of a terminal.
func (j *Judgement) payload() ([]byte, error) {
	return canonical.Append(nil, object{
		"version":        1,
		"work_item_id":   j.Request.WorkItem,
		"agent_name":     j.agent(),
		"workspace_root": j.Plan.Workspace,
		"toolset_mode":   j.mode(),
		"tool_calls":     []any{j.toolCall()},
		"context":        j.context(),
		"effects":        j.effects(),
		"targets":        j.targets(),
		"programs":       j.programs(),
		"contents":       j.contents(),
		"fence":          j.fenceFacts(),
		"reasons":        j.reasons(),
		"hazards":        j.hazards(),
		"opaque":         j.opaque(),
		"risk":           j.Verdict.Risk,
		"agent_says":     j.Plan.Caller.Intent.Hint,
	})
}

// agent is the name that the caller gave itself. It cannot be checked, and says so.
func (j *Judgement) agent() string {
	if j.Request.Agent == "" {
		return ""
	}
	return "?" + j.Request.Agent
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
		"name": s.Name, "args": s.Args, "shell_flags": s.Flags,
	}
	name := "shell"
	if s.Words != nil {
		name, args["argv"] = "exec", s.Words
	}
	if s.Script != "" {
		args["script"] = s.Script
	}
	return object{"tool_call_id": firstCall, "tool_name": name, "args": args}
}

func (j *Judgement) context() object {
	shown, hidden := object{}, object{}
	for name, value := range j.Plan.Caller.Env {
		switch {
		case slices.Contains(volatileEnv, name):
		case slices.Contains(shownEnv, name) || strings.HasPrefix(name, "LC_"):
			shown[name] = value
		default:
			hidden[name] = value
		}
	}
	return object{
		"cwd": j.Plan.Dir, "cwd_dev": j.Plan.DirID.Dev, "cwd_ino": j.Plan.DirID.Ino,
		"env": shown, "env_hash": digestOf(hidden), "env_removed": j.environ.Removed,
		"uid": os.Getuid(), "umask": umask(),
		"shell": j.shell, "policy": j.policy.Digest(), "version": Version(),
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

func (j *Judgement) effects() object {
	o := object{}
	for kind, names := range j.Report("").Effects {
		o[kind] = names
	}
	return o
}

func (j *Judgement) targets() []any {
	list := make([]any, 0, len(j.Plan.Targets))
	for i := range j.Plan.Targets {
		t := &j.Plan.Targets[i]
		list = append(list, object{
			"right": effectNames[t.Right], "flags": int(t.Flags), "name": t.Name, "real": t.Path(),
			"exists": t.Exists, "dev": t.ID.Dev, "ino": t.ID.Ino, "links": t.Links,
		})
	}
	return list
}

func (j *Judgement) programs() []any {
	list := make([]any, 0, len(j.Plan.Programs))
	for i := range j.Plan.Programs {
		p := &j.Plan.Programs[i]
		list = append(list, object{
			"name": p.Name, "real": p.Real, "dev": p.ID.Dev, "ino": p.ID.Ino,
			"size": p.Size, "mtime": p.ModTime, "sha256": p.Sum,
		})
	}
	return list
}

func (j *Judgement) contents() []any {
	list := make([]any, 0, len(j.Plan.Contents))
	for _, c := range j.Plan.Contents {
		list = append(list, object{"path": c.Path, "size": c.Size, "sha256": c.Sum, "why": c.Why})
	}
	return list
}

func (j *Judgement) reasons() []any {
	list := make([]any, 0, len(j.Verdict.Reasons))
	for _, r := range j.Verdict.Reasons {
		list = append(list, object{
			"rule": r.Rule, "verdict": r.Decision.String(), "risk": r.Risk, "message": r.In(pathguard.English),
			"span": spanOf(r.Span), "path": r.Path, "instead": r.Instead,
		})
	}
	return list
}

func (j *Judgement) hazards() []any {
	list := make([]any, 0, len(j.Script.Hazards))
	for _, h := range j.Script.Hazards {
		list = append(list, object{"rule": h.Rule, "risk": h.Risk, "message": h.Message, "span": spanOf(h.Span)})
	}
	return list
}

func (j *Judgement) opaque() []any {
	list := make([]any, 0, len(j.Script.Opaque))
	for _, o := range j.Script.Opaque {
		list = append(list, object{"place": int(o.Place), "text": o.Text, "why": o.Why, "span": spanOf(o.Span)})
	}
	return list
}

func spanOf(s shellparse.Span) []any { return []any{s.Start, s.End} }
