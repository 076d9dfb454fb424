package platform

import "github.com/tada-run/tada-run/integration/hook"

// pi is pi: tool_call, in our own extension (settings/pi.js), which throws to block. The extension
// sends the names that pi would try for the one it was given, so only a changed command goes back.
func pi() hook.Adapter {
	a := openCode()
	a.Name = "pi"
	a.Tools = map[string]hook.Tool{
		"bash": {Builtin: "Bash"}, "read": {Builtin: "Read"}, "write": {Builtin: "Write"},
		"edit": {Builtin: "Edit"}, "grep": {Builtin: "Grep"}, "find": {Builtin: "Glob"},
		"ls": {Builtin: "LS"},
	}
	a.Pass = func(_ string, d hook.Decision, _ hook.Object) hook.Answer {
		changed := d.Change
		if changed == nil {
			changed = hook.Object{}
		}
		return say(object{"decision": "go", "args": changed, "audit": d.Audit})
	}
	return a
}
