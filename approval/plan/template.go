package plan

import (
	"strings"

	"github.com/tada-run/tada-run/approval/canonical"
)

// SessionTool names the only call of a plan that asks what an agent's session opens, rather than a
// command.
const SessionTool = "session"

// ConnectTool names the only call of a plan that asks about a connection of one program to one
// host, rather than a command. Its arguments are the program's identity, the host, the addresses it
// leads to and, for display only, the command that the program belongs to.
const ConnectTool = "connect"

// Lasting reports whether a plan is about what an agent's session opens, about a connection, or
// about a [Choice]. A grant of it lasts until it is revoked.
func Lasting(payload []byte) bool {
	top := object(payload)
	tool := top.only()
	return tool == SessionTool || tool == ConnectTool || top.Object("chosen") != nil
}

// Opens reports whether a plan is about what an agent's session opens.
func Opens(payload []byte) bool { return object(payload).only() == SessionTool }

// Connects reports whether a plan is a connection.
func Connects(payload []byte) bool { return object(payload).only() == ConnectTool }

// Connection returns what the plan of a connection is about: HOST:PORT, the program, and the
// workspace ("" for all).
func Connection(payload []byte) (host, program, workspace string, ok bool) {
	top := object(payload)
	args, ok := top.connection()
	if !ok {
		return "", "", "", false
	}
	program = args.Text("identity")
	program = program[:max(strings.LastIndexByte(program, ' '), 0)]
	if args.Text("identity") == OwnCode {
		program = OwnCode
	}
	return args.Text("host"), program, top.Text("workspace_root"), true
}

// only returns the tool of the only call of a plan.
func (f Fields) only() string {
	calls := f.Objects("tool_calls")
	if len(calls) != 1 {
		return ""
	}
	return calls[0].Text("tool_name")
}

// connection returns the arguments of a plan that is a connection.
func (f Fields) connection() (args Fields, ok bool) {
	if f.only() != ConnectTool {
		return nil, false
	}
	return f.Objects("tool_calls")[0].Object("args"), true
}

// Everywhere returns the plan of a connection without its workspace, as a grant for all workspaces
// has it. It returns ErrPayload for any other plan, and for a program that only its own workspace
// vouches for.
func Everywhere(payload []byte) ([]byte, error) {
	top := object(payload)
	if args, ok := top.connection(); !ok || args.Text("identity") == OwnCode {
		return nil, ErrPayload
	}
	delete(top, "workspace_root")
	return canonical.Append(nil, map[string]any(top))
}

// OwnCode is the one identity of all programs that commands of the workspace may write: none of
// them is trusted more than other code there.
const OwnCode = "code of the workspace"

// Template returns the hash of what a grant binds: the whole plan except the ids of its calls,
// which number the attempts, and the agent's own words, which decide nothing. For a plan that is
// asked about only because of its tool ([ForTool]) it binds the tool, the agent and the workspace,
// and for a [Choice] that choice and the workspace.
// It returns ErrPayload for bytes that are not a plan.
func Template(payload []byte) (string, error) {
	if _, err := Read(payload); err != nil {
		return "", err
	}
	top := object(payload)
	if name, ok := top.ForTool(); ok {
		tool := Fields{"tool": name}
		for _, bound := range []string{
			"version", "work_item_id", "agent_name", "workspace_root", "toolset_mode", "risk",
			"trust", "needs",
		} {
			if v, ok := top[bound]; ok {
				tool[bound] = v
			}
		}
		top = tool
	}
	if args, ok := top.connection(); ok {
		top = Fields{"connect": map[string]any{
			"workspace": top.Text("workspace_root"), "identity": args.Text("identity"),
			"host": args.Text("host"), "leads": args.Text("leads")}}
	}
	if c := top.chosen(); c != nil {
		top = c
	}
	delete(top, "agent_says")
	for _, call := range top.Objects("tool_calls") {
		delete(call, "tool_call_id")
	}
	b, err := canonical.Append(nil, map[string]any(top))
	if err != nil {
		return "", err
	}
	return Hash(b), nil
}

// chosen returns what a grant of a choice binds; nil for any other plan.
func (f Fields) chosen() Fields {
	c := f.Object("chosen")
	if c == nil {
		return nil
	}
	delete(c, "at_most") // says the same in other words
	return Fields{"chosen": map[string]any(c), "workspace": f.Text("workspace_root")}
}

// ForTool returns the name of the tool if the plan is asked about only because the tool is unknown.
// A grant of it covers the tool with other input too, as long as that input gives no other reason
// to ask.
func ForTool(payload []byte) (name string, ok bool) { return object(payload).ForTool() }

// ForTool is like the function [ForTool], for a plan that was parsed.
func (f Fields) ForTool() (name string, ok bool) {
	calls, reasons := f.Objects("tool_calls"), f.Objects("reasons")
	if len(calls) != 1 || len(reasons) != 1 || len(f.List("opaque")) > 0 ||
		len(f.Object("effects").List("net")) > 0 {
		return "", false
	}
	name, ok = strings.CutPrefix(calls[0].Text("tool_name"), "tool:")
	return name, ok && name != "" && reasons[0].Text("rule") == "tool.unknown"
}

// object parses a payload; nil if it is not a canonical object.
func object(payload []byte) Fields {
	v, err := canonical.Parse(payload)
	if err != nil {
		return nil
	}
	return AsFields(v)
}
