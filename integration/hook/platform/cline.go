package platform

import "github.com/tada-run/tada-run/integration/hook"

// cline is Cline: tool_call, by our own script (settings/hook.sh). It looks only at what a hook
// prints, and a call that is cancelled ends its answer, without a word to the model. So a command
// that is denied goes on to tada-run, which tells the model; other calls are cancelled.
func cline() hook.Adapter {
	return hook.Adapter{
		Name: "cline", Event: "hookName",
		Events: map[string]func(hook.Object) (hook.Call, error){"tool_call": clineCall},
		Tools: talking(`ask_question skills spawn_agent submit_and_exit team_await_runs `+
			`team_broadcast team_cancel_run team_cleanup team_list_runs team_log_update `+
			`team_mission_log team_read_mailbox team_run_task team_send_message `+
			`team_shutdown_teammate team_spawn_teammate team_status team_task`,
			map[string]hook.Tool{
				"run_commands": {Builtin: "Bash", Late: true}, "read_files": {Builtin: "Read"},
				"search_codebase": {Builtin: "Grep"}, "editor": {Builtin: "Edit"},
				"apply_patch": {Builtin: "apply_patch",
					Names: map[string]string{"patch": "input"}},
			}),
		Block: func(reason string) hook.Answer {
			a := say(object{"cancel": true, "errorMessage": reason})
			a.Status, a.Stderr = 2, reason+"\n"
			return a
		},
		Pass: func(_ string, d hook.Decision, _ hook.Object) hook.Answer {
			out := object{"tada": object{"audit": d.Audit}}
			if command, ok := d.Change.Text("command"); ok {
				out["overrideInput"] = object{"commands": []string{command}}
			}
			return say(out)
		},
	}
}
