package platform

import "github.com/tada-run/tada-run/integration/hook"

// droid is Droid: PreToolUse, like Claude Code. Exit status 2 blocks, with the reason on standard
// error; after every other failure the call runs. It does not number calls. "ask" is not used:
// where Droid runs without its permissions, the call then runs. It starts every command with
// /bin/bash, so tada-run cannot be its shell.
func droid() hook.Adapter {
	call := hook.Members{Session: "session_id", Dir: "cwd", Tool: "tool_name", Args: "tool_input"}
	return hook.Adapter{
		Name:   "droid",
		Events: map[string]func(hook.Object) (hook.Call, error){"PreToolUse": call.Call},
		Tools: talking(
			`AskUser ExitSpecMode Skill Task TaskOutput TaskStop TodoWrite ToolSearch`,
			map[string]hook.Tool{
				"Execute": {Builtin: "Bash"}, "Read": path("Read", "file_path"),
				"Create": path("Write", "file_path"), "Edit": path("Edit", "file_path"),
				"MultiEdit": path("MultiEdit", "file_path"), "LS": path("LS", "directory_path"),
				"Grep": {Builtin: "Grep"},
				"Glob": {Builtin: "Glob",
					Names: map[string]string{"path": "folder", "pattern": "patterns"}},
			}),
		Block: exit2,
		End:   stop,
		Pass: func(event string, d hook.Decision, args hook.Object) hook.Answer {
			out := object{"hookEventName": event}
			if d.Change != nil {
				out["updatedInput"] = args
			}
			return say(told(d, object{"hookSpecificOutput": out, "suppressOutput": true,
				"tada": object{"audit": d.Audit}}))
		},
	}
}
