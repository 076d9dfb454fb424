package platform

import "github.com/tada-run/tada-run/integration/hook"

// qwen is Qwen Code: PreToolUse, like Claude Code. Exit status 2 blocks, with the reason on
// standard error; after exit status 1, a missing program, a crash, a timeout or an answer that is
// not JSON, the call runs. Its hook cannot change a call. Qwen Code runs commands with the first
// bash in PATH: if that is tada-run, a command goes on; otherwise it is blocked with the lines to
// run instead. Qwen Code applies the person's own rules to a call before it asks the hook.
func qwen() hook.Adapter {
	call := hook.Members{Session: "session_id", ID: "tool_use_id", Dir: "cwd", Tool: "tool_name",
		Args: "tool_input", Agent: "agent_id", Kind: "agent_type"}
	return hook.Adapter{
		Name:   "qwen",
		Events: map[string]func(hook.Object) (hook.Call, error){"PreToolUse": call.Call},
		Tools: talking(
			`agent ask_user_question enter_plan_mode exit_plan_mode get_goal list_agents report_findings send_message skill `+
				`structured_output task_create task_list task_stop task_update todo_write tool_search update_goal`, map[string]hook.Tool{
				"run_shell_command": {Builtin: "Bash",
					Names: map[string]string{"dir": "directory"}},
				"read_file": path("Read", "file_path"), "write_file": path("Write",
					"file_path"), "edit": path("Edit", "file_path"),
				"notebook_edit":  path("NotebookEdit", "notebook_path"),
				"list_directory": {Builtin: "LS"},
				"glob":           {Builtin: "Glob"}, "grep_search": {Builtin: "Grep"},
			}),
		Wrapped: func(_ hook.Call, env []string) bool { return hook.IsFirstInPath(env, "bash") },
		Block:   exit2,
		Pass: func(event string, d hook.Decision, _ hook.Object) hook.Answer {
			if command, ok := d.Change.Text("command"); ok {
				return exit2(
					"tada-run: Qwen Code's hook cannot change a command; run these lines instead, " +
						"as one command:\n" + command + "\naudit=" + d.Audit)
			}
			return say(told(d, object{"hookSpecificOutput": object{"hookEventName": event},
				"suppressOutput": true, "tada": object{"audit": d.Audit}}))
		},
	}
}
