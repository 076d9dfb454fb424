package platform

import (
	"encoding/json"
	"strings"

	"github.com/tada-run/tada-run/integration/hook"
)

// All returns the adapters.
func All() []hook.Adapter {
	return []hook.Adapter{claudeCode(), codex(), openCode(), gemini(), qwen(), copilot(), cursor()}
}

// Named returns the adapter of a platform, and false for one that is not known.
func Named(name string) (hook.Adapter, bool) {
	for _, a := range All() {
		if a.Name == name {
			return a, true
		}
	}
	return hook.Adapter{}, false
}

// Names are the platforms, for a message.
func Names() string {
	var names []string
	for _, a := range All() {
		names = append(names, a.Name)
	}
	return strings.Join(names, "|")
}

// exit2 blocks as most platforms want it: the reason on standard error, and the one status that
// blocks.
func exit2(reason string) hook.Answer { return hook.Answer{Status: 2, Stderr: reason + "\n"} }

// say is an answer on standard output.
func say(v any) hook.Answer {
	raw, err := json.Marshal(v)
	if err != nil {
		return exit2("tada-run: blocked: " + err.Error())
	}
	return hook.Answer{Stdout: string(raw) + "\n"}
}

type object = map[string]any

// told adds what the platform shows the person.
func told(d hook.Decision, answer object) object {
	if d.Told != "" {
		answer["systemMessage"] = "tada-run: " + d.Told
	}
	return answer
}

// path renames the argument that names a file.
func path(builtin, argument string) hook.Tool {
	return hook.Tool{Builtin: builtin, Names: map[string]string{"path": argument}}
}

// talking adds the tools that touch nothing but the conversation. One that starts another agent
// does: that agent's own calls are asked about.
func talking(names string, tools map[string]hook.Tool) map[string]hook.Tool {
	for _, name := range strings.Fields(names) {
		tools[name] = hook.Tool{Talks: true}
	}
	return tools
}

// single reads an event of Cursor that is about one tool and has its one argument at the top.
func single(tool, argument string) func(hook.Object) (hook.Call, error) {
	return func(o hook.Object) (hook.Call, error) {
		o = o.With(hook.Object{"tool_name": json.RawMessage(`"` + tool + `"`), "tool_input": raw(hook.Object{argument: o[argument]})})
		c, err := workspaceCall(o)
		c.Fixed = true
		return c, err
	}
}

// mcpCall reads a call of a server's tool, whose arguments Cursor sends as a text.
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

// workspaceCall takes the first root of the workspace for the directory where an event tells none.
func workspaceCall(o hook.Object) (hook.Call, error) {
	var roots []string
	if _, ok := o.Text("cwd"); !ok && json.Unmarshal(o["workspace_roots"], &roots) == nil && len(roots) > 0 {
		o = o.With(hook.Object{"cwd": raw(roots[0])})
	}
	return hook.Members{Session: "conversation_id", Dir: "cwd", Tool: "tool_name", Args: "tool_input"}.Call(o)
}

func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}
