package platform

import "github.com/tada-run/tada-run/integration/hook"

// openCode is OpenCode: tool.execute.before, in our own plugin (settings/opencode.js), which throws
// to block. The plugin continues only after an answer that says so.
func openCode() hook.Adapter {
	call := hook.Members{Session: "sessionID", ID: "callID", Dir: "cwd", Tool: "tool", Args: "args",
		Agent: "agent"}
	return hook.Adapter{
		Name:   "opencode",
		Events: map[string]func(hook.Object) (hook.Call, error){"tool.execute.before": call.Call},
		Tools: talking(`todowrite todoread task question skill plan_enter plan_exit invalid`,
			map[string]hook.Tool{
				"bash": {Builtin: "Bash", Names: map[string]string{"dir": "workdir"}},
				"read": path("Read", "filePath"), "write": path("Write", "filePath"),
				"edit":      path("Edit", "filePath"),
				"multiedit": path("MultiEdit", "filePath"), "list": {Builtin: "LS"},
				"grep": {Builtin: "Grep"}, "glob": {Builtin: "Glob"},
				"apply_patch": {Builtin: "apply_patch",
					Names: map[string]string{"patch": "patchText"}},
				"patch": {Builtin: "apply_patch",
					Names: map[string]string{"patch": "patchText"}},
			}),
		Block: func(reason string) hook.Answer {
			a := say(object{"decision": "block", "reason": reason})
			a.Status, a.Stderr = 2, exit2(reason).Stderr
			return a
		},
		End: func(_, reason string) hook.Answer {
			return say(object{"decision": "end", "reason": reason})
		},
		Pass: func(_ string, d hook.Decision, args hook.Object) hook.Answer {
			return say(object{"decision": "go", "args": args, "audit": d.Audit})
		},
	}
}
