package cli

import (
	"context"
	"encoding/json"

	"github.com/tada-run/tada-run/integration/hook"
	"github.com/tada-run/tada-run/integration/quarantine"
	"github.com/tada-run/tada-run/launcher"
)

// inQuarantine is what a hook asks first. session is the value of [quarantine.Variable] in the
// hook's environment.
func inQuarantine(
	session string) func(context.Context, *launcher.Launcher, hook.Call) (hook.Decision, bool) {
	return func(ctx context.Context, l *launcher.Launcher, call hook.Call) (hook.Decision, bool) {
		d := quarantine.Ask(ctx, quarantineDir(l), session, quarantined(call))
		if !d.Quarantined {
			return hook.Decision{}, false
		}
		answer := hook.Decision{Allowed: d.Allowed}
		if d.Event != nil {
			answer.SecurityEvent = string(d.Event.Type)
		}
		if !d.Allowed {
			answer.Reason = "tada-run: in quarantine: " + d.Reason
			return answer, true
		}
		if path, ok := d.Input[placeOf(call)].(string); ok {
			text, _ := json.Marshal(path)
			answer.Change = hook.Object{spelledPath(call): text}
		}
		return answer, true
	}
}

// quarantined translates a call for package quarantine. The adapter gives a platform's own tool its
// name there; a tool that only has the same name does not get it.
func quarantined(call hook.Call) quarantine.Call {
	q := quarantine.Call{Platform: call.Session, Agent: call.Agent, Kind: call.Kind,
		Tool: call.As.Builtin, Dir: call.Dir}
	if q.Tool == "" {
		if q.Tool = call.Tool; quarantine.IsToolAllowed(q.Tool) {
			q.Tool += " (not the platform's own)"
		}
	}
	args := hook.Object{}
	for name, value := range call.Args {
		if name == spelledPath(call) {
			name = placeOf(call)
		}
		args[name] = value
	}
	q.Input, _ = json.Marshal(args) // without it there is no object, and the call is denied
	return q
}

// placeOf is the name that package quarantine has for the argument with the path; spelledPath is
// the platform's.
func placeOf(call hook.Call) string {
	if call.As.Builtin == "Read" {
		return "file_path"
	}
	return "path"
}

func spelledPath(call hook.Call) string {
	if own, ok := call.As.Names["path"]; ok {
		return own
	}
	return "path"
}
