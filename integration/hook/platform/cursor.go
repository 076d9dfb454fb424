package platform

import "github.com/tada-run/tada-run/integration/hook"

// cursor is Cursor. preToolUse can change the arguments, and comes before beforeShellExecution,
// which cannot. If a command reaches the second without the change of the first, it is blocked with
// the line to type instead.
func cursor() hook.Adapter {
	base := hook.Members{Session: "conversation_id", Dir: "cwd", Tool: "tool_name",
		Args: "tool_input"}
	return hook.Adapter{
		Name: "cursor",
		Events: map[string]func(hook.Object) (hook.Call, error){
			"preToolUse":           base.Call,
			"beforeMCPExecution":   mcpCall,
			"beforeShellExecution": single("Shell", "command"),
			"beforeReadFile":       single("Read", "file_path"),
		},
		Tools: talking(`TodoWrite Task`, map[string]hook.Tool{
			"Shell": {Builtin: "Bash"}, "Read": path("Read", "file_path"), "Write": path("Write",
				"file_path"),
			"Edit": path("Edit", "file_path"), "Delete": path("Delete", "file_path"),
			"Grep": {Builtin: "Grep"}, "Glob": {Builtin: "Glob"},
		}),
		Block: func(reason string) hook.Answer {
			a := say(object{"permission": "deny", "user_message": reason, "agent_message": reason})
			a.Status, a.Stderr = 2, reason+"\n"
			return a
		},
		Pass: func(event string, d hook.Decision, args hook.Object) hook.Answer {
			out := object{"permission": "allow", "agent_message": "audit=" + d.Audit}
			if command, ok := d.Change.Text("command"); ok && event == "beforeShellExecution" {
				return cursor().Block("tada-run: run it as: " + hook.Short(command) + "\naudit=" +
					d.Audit)
			}
			if d.Change != nil {
				out["updated_input"] = args
			}
			return say(out)
		},
	}
}
