package platform

import (
	"fmt"

	"github.com/tada-run/tada-run/integration/hook"
)

// claudeCode is Claude Code: PreToolUse. Exit status 2 blocks, with the reason on standard error;
// after every other failure the call runs. "ask" is used only for the user's own rules that ask,
// because anyone who controls the agent's terminal answers it. "allow" is not used: it would
// replace the answer of the person whom Claude Code's own rules ask.
func claudeCode() hook.Adapter {
	call := hook.Members{
		Session: "session_id", ID: "tool_use_id", Dir: "cwd", Tool: "tool_name", Args: "tool_input",
		Agent: "agent_id", Kind: "agent_type",
	}
	return hook.Adapter{
		Name:   "claude-code",
		Events: map[string]func(hook.Object) (hook.Call, error){"PreToolUse": call.Call},
		Tools: talking(
			`TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet TaskOutput TaskStop Task Agent BashOutput KillShell KillBash ExitPlanMode EnterPlanMode AskUserQuestion Skill SlashCommand ToolSearch`, map[string]hook.Tool{
				"Bash": {Builtin: "Bash"}, "Grep": {Builtin: "Grep"}, "Glob": {Builtin: "Glob"},
				"LS":   {Builtin: "LS"},
				"Read": path("Read", "file_path"), "Write": path("Write", "file_path"),
				"Edit":      path("Edit", "file_path"),
				"MultiEdit": path("MultiEdit", "file_path"), "NotebookEdit": path("NotebookEdit",
					"notebook_path"),
			}),
		Wrapped: func(_ hook.Call, env []string) bool {
			return hook.IsShell(env, []string{"bash", "zsh"}, "CLAUDE_CODE_SHELL", "SHELL")
		},
		Block: exit2,
		End:   stop,
		Pass: func(event string, d hook.Decision, args hook.Object) hook.Answer {
			out := object{"hookEventName": event}
			if d.Change != nil {
				out["updatedInput"] = args
			}
			if d.Ask != "" {
				out["permissionDecision"] = "ask"
				out["permissionDecisionReason"] = fmt.Sprintf("the user's rule: %q", d.Ask)
			}
			return say(told(d, object{"hookSpecificOutput": out, "suppressOutput": true,
				"tada": object{"audit": d.Audit}}))
		},
	}
}
