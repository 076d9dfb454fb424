package platform

import (
	"encoding/json"
	"strings"

	"github.com/tada-run/tada-run/integration/hook"
)

// path renames the argument that names a file.
func path(builtin, argument string) hook.Tool {
	return hook.Tool{Builtin: builtin, Names: map[string]string{"path": argument}}
}

// talking adds the tools that affect only the conversation. A tool that starts another agent is one
// of them: the calls of that agent are asked about themselves.
func talking(names string, tools map[string]hook.Tool) map[string]hook.Tool {
	for _, name := range strings.Fields(names) {
		tools[name] = hook.Tool{Talks: true}
	}
	return tools
}

// single reads an event of Cursor that is about one tool and has its one argument at the top level.
func single(tool, argument string) func(hook.Object) (hook.Call, error) {
	return func(o hook.Object) (hook.Call, error) {
		o = o.With(hook.Object{"tool_name": json.RawMessage(`"` + tool + `"`),
			"tool_input": raw(hook.Object{argument: o[argument]})})
		c, err := workspaceCall(o)
		c.Fixed = true
		return c, err
	}
}

// mcpCall reads a call of a server's tool, whose arguments Cursor sends as a string.
func mcpCall(o hook.Object) (hook.Call, error) {
	name, _ := o.Text("tool_name")
	if text, ok := o.Text("tool_input"); ok {
		args, err := hook.Decode(strings.NewReader(text))
		if err != nil {
			return hook.Call{}, err
		}
		o = o.With(hook.Object{"tool_input": raw(args)})
	}
	return workspaceCall(o.With(hook.Object{"tool_name": raw("mcp__" + name)}))
}

// workspaceCall uses the first root of the workspace as the directory if the event has none.
func workspaceCall(o hook.Object) (hook.Call, error) {
	var roots []string
	if _, ok := o.Text("cwd"); !ok && json.Unmarshal(o["workspace_roots"], &roots) == nil &&
		len(roots) > 0 {
		o = o.With(hook.Object{"cwd": raw(roots[0])})
	}
	return hook.Members{Session: "conversation_id", Dir: "cwd", Tool: "tool_name",
		Args: "tool_input"}.Call(o)
}
