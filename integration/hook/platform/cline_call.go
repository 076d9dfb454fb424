package platform

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/integration/hook"
)

// clineCall reads a call. Its tools take lists, where those of others take one argument.
func clineCall(o hook.Object) (hook.Call, error) {
	var roots []string
	var sent hook.Object
	if json.Unmarshal(o["workspaceRoots"], &roots) != nil || len(roots) == 0 ||
		json.Unmarshal(o["tool_call"], &sent) != nil {
		return hook.Call{}, fmt.Errorf("%w: it has no workspace or no call", hook.ErrInput)
	}
	call, err := hook.Members{Session: "taskId", ID: "id", Dir: "cwd", Tool: "name",
		Args: "input", Agent: "parent_agent_id"}.Call(o.With(sent).With(
		hook.Object{"cwd": raw(roots[0])}))
	if err != nil {
		return call, err
	}
	switch call.Tool {
	case "run_commands":
		var lines []string
		lines, err = texts(call.Args["commands"])
		call.Args = hook.Object{"command": raw(inOrder(lines))}
	case "read_files":
		var files []hook.Object
		err = json.Unmarshal(call.Args["files"], &files)
		names := make([]json.RawMessage, len(files))
		for i, f := range files {
			names[i] = f["path"]
		}
		call.Args = hook.Object{"path": raw(names)}
	}
	if err != nil {
		err = fmt.Errorf("%w: the arguments of %s: %w", hook.ErrInput, call.Tool, err)
	}
	return call, err
}

// inOrder is one command line for several, each in a shell of its own.
func inOrder(lines []string) string {
	if len(lines) == 1 {
		return lines[0]
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString("(\n" + line + "\n)\n")
	}
	return b.String()
}
