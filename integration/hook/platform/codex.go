package platform

import "github.com/tada-run/tada-run/integration/hook"

// codex is Codex: PreToolUse, like Claude Code. It accepts changed arguments only together with
// "allow", and after "ask" it runs the call. Text written to a running command (write_stdin)
// reaches no hook: the command does, and what it runs is confined by the sandbox in which it was
// started.
func codex() hook.Adapter {
	call := hook.Members{
		Session: "session_id", ID: "tool_use_id", Dir: "cwd", Tool: "tool_name", Args: "tool_input",
		Agent: "agent_id",
	}
	return hook.Adapter{
		Name:   "codex",
		Events: map[string]func(hook.Object) (hook.Call, error){"PreToolUse": call.Call},
		Tools: talking(
			`update_plan request_user_input spawn_agent wait_agent close_agent send_input`,
			map[string]hook.Tool{
				"Bash": {Builtin: "Bash", Patches: true},
				"apply_patch": {Builtin: "apply_patch",
					Names: map[string]string{"patch": "command"}},
				"view_image": {Builtin: "Read"},
			}),
		Block: exit2,
		Pass: func(event string, d hook.Decision, args hook.Object) hook.Answer {
			if d.Change == nil {
				// an "allow" without changed arguments is not supported
				return say(object{"systemMessage": "audit=" + d.Audit})
			}
			return say(object{"hookSpecificOutput": object{
				"hookEventName": event, "permissionDecision": "allow", "updatedInput": args,
				"permissionDecisionReason": "judged by tada-run; audit=" + d.Audit,
			}})
		},
	}
}
