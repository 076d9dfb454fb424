package platform

import "github.com/tada-run/tada-run/integration/hook"

// copilot is GitHub Copilot CLI: PreToolUse. For an event of that name it uses the members of
// Claude Code, for preToolUse its own. Every exit status but 0 blocks, and so does a missing or
// crashed program; after a timeout or an answer that is not JSON, the call runs. It takes the
// reason of a block from the answer, with exit status 2 too, and ignores standard error. "allow"
// would turn off the person's own rules (--deny-tool), so it is not used. The calls of an agent
// that another one started have no id of their own.
func copilot() hook.Adapter {
	call := hook.Members{Session: "session_id", Dir: "cwd", Tool: "tool_name", Args: "tool_input"}
	return hook.Adapter{
		Name: "copilot",
		Events: map[string]func(hook.Object) (hook.Call,
			error){"PreToolUse": func(o hook.Object) (hook.Call, error) {
			// The patch tool of GPT models has the name of the tool that replaces a text, with the
			// patch as its arguments.
			if tool, _ := o.Text("tool_name"); tool == "Edit" {
				if patch, ok := o.Text("tool_input"); ok {
					o = o.With(hook.Object{"tool_name": raw("apply_patch"),
						"tool_input": raw(object{"patch": patch})})
				}
			}
			return call.Call(o)
		}},
		Tools: talking(
			`Agent fetch_copilot_cli_documentation list_agents list_bash read_agent read_bash skill stop_bash write_agent`, map[string]hook.Tool{
				"Bash": {Builtin: "Bash"}, "Read": {Builtin: "Read"}, "Write": {Builtin: "Write"},
				"Edit": {Builtin: "Edit"},
				"Grep": path("Grep", "paths"), "Glob": path("Glob", "paths"),
				"apply_patch": {Builtin: "apply_patch"},
			}),
		Wrapped: func(_ hook.Call, env []string) bool {
			return hook.IsShell(env, nil, "COPILOT_BASH_PATH")
		},
		Block: func(reason string) hook.Answer {
			a := say(object{"permissionDecision": "deny", "permissionDecisionReason": reason})
			a.Status, a.Stderr = 2, reason+"\n"
			return a
		},
		Pass: func(event string, d hook.Decision, args hook.Object) hook.Answer {
			out := object{"hookEventName": event}
			if d.Change != nil {
				out["updatedInput"] = args
			}
			return say(object{"hookSpecificOutput": out, "tada": object{"audit": d.Audit}})
		},
	}
}
