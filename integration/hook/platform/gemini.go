package platform

import (
	"strings"

	"github.com/tada-run/tada-run/integration/hook"
)

// gemini is Gemini CLI: BeforeTool. It does not number calls. "ask" is not used: it replaces a
// denial by the user's own policies, and for the calls of agents that another one started it counts
// for nothing.
func gemini() hook.Adapter {
	call := hook.Members{Session: "session_id", Dir: "cwd", Tool: "tool_name", Args: "tool_input",
		Agent: "agent_id"}
	from := func(builtin string) hook.Tool { return path(builtin, "dir_path") }
	return hook.Adapter{
		Name:   "gemini",
		Events: map[string]func(hook.Object) (hook.Call, error){"BeforeTool": call.Call},
		Tools: talking(
			`write_todos ask_user update_topic enter_plan_mode exit_plan_mode complete_task invoke_agent delegate_to_agent activate_skill`, map[string]hook.Tool{
				"run_shell_command": {Builtin: "Bash", Names: map[string]string{"dir": "dir_path"}},
				"read_file":         path("Read", "file_path"), "write_file": path("Write",
					"file_path"), "replace": path("Edit", "file_path"),
				"list_directory": from("LS"), "glob": from("Glob"),
				"search_file_content": from("Grep"),
				"grep_search":         from("Grep"),
			}),
		Block: exit2,
		End: func(_, reason string) hook.Answer {
			line, _, _ := strings.Cut(reason, "\n")
			return say(object{"continue": false, "stopReason": line, "decision": "deny",
				"reason": reason})
		},
		Pass: func(event string, d hook.Decision, args hook.Object) hook.Answer {
			out := object{"hookEventName": event}
			if d.Change != nil {
				out["tool_input"] = args
			}
			return say(told(d, object{"hookSpecificOutput": out, "suppressOutput": true,
				"tada": object{"audit": d.Audit}}))
		},
	}
}
