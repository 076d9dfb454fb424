package platform

import "github.com/tada-run/tada-run/integration/hook"

// copilot is GitHub Copilot CLI: PreToolUse. Under that name of the event it sends and reads the
// members of Claude Code, under preToolUse its own. Every exit status but 0 blocks, so a program
// that is missing or crashed does; a timeout and an answer that is not JSON run the call. It takes
// the reason of a block from an answer, with exit status 2 too, and none from standard error.
// "allow" would switch the person's own rules off (--deny-tool), so it is not said. The calls of an
// agent that another one started have no id of its own.
func copilot() hook.Adapter {
	call := hook.Members{Session: "session_id", Dir: "cwd", Tool: "tool_name", Args: "tool_input"}
	return hook.Adapter{
		Name: "copilot",
		Events: map[string]func(hook.Object) (hook.Call,
			error){"PreToolUse": func(o hook.Object) (hook.Call, error) {
			// The tool of GPT models that takes a patch is called as the one that replaces a text,
			// with the patch for its arguments.
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
			return hook.IsShell(env, nil,
				"COPILOT_BASH_PATH")
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
