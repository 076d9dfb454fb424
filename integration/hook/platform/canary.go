package platform

import "encoding/json"

// Canary returns a call of a harmless command, as the platform sends it.
func Canary(name, dir string) []byte {
	const id, command = "canary", "true"
	call := object{
		"hook_event_name": "PreToolUse", "session_id": id, "tool_use_id": id, "cwd": dir,
		"tool_name": "Bash", "tool_input": object{"command": command},
	}
	switch name {
	case "gemini":
		call["hook_event_name"], call["tool_name"] = "BeforeTool", "run_shell_command"
	case "qwen": // a command would be blocked if the shell is not tada-run
		call["tool_name"], call["tool_input"] = "list_directory", object{"path": dir}
	case "cursor":
		call["hook_event_name"], call["conversation_id"], call["tool_name"] = "preToolUse", id,
			"Shell"
	case "droid":
		call["tool_name"] = "Execute"
	case "cline":
		call = object{"hookName": "tool_call", "taskId": id, "workspaceRoots": []string{dir},
			"tool_call": object{"id": id, "name": "run_commands",
				"input": object{"commands": []string{command}}}}
	case "opencode", "kilo", "pi":
		call = object{"hook_event_name": "tool.execute.before", "tool": "bash", "sessionID": id,
			"callID": id, "cwd": dir, "args": object{"command": command}}
	}
	raw, err := json.Marshal(call)
	if err != nil {
		return nil
	}
	return raw
}
