package plan

import (
	"strings"

	"github.com/tada-run/tada-run/approval/canonical"
)

// SessionTool is the name of the only call of a plan that is what an agent's session opens, and no
// command.
const SessionTool = "session"

// Lasting reports whether a plan is what an agent's session opens: an approval of it is a grant
// until it is revoked.
func Lasting(payload []byte) bool {
	calls := object(payload).Objects("tool_calls")
	return len(calls) == 1 && calls[0].Text("tool_name") == SessionTool
}

// Template returns the hash of what a grant binds: the whole plan but the ids of its calls, which
// number the attempts, and the agent's own words, which decide nothing. Of a plan that is asked
// about for the tool alone ([ForTool]) it binds the tool, the agent and the workspace. It returns
// ErrPayload for bytes that are no plan.
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

// ForTool is the name of the tool, of a plan that is asked about for no other reason than that the
// tool is unknown. A grant of it covers the tool with other input too, as long as that gives no
// other reason to ask.
func ForTool(payload []byte) (name string, ok bool) { return object(payload).ForTool() }

// ForTool is [ForTool] of a plan that was parsed.
func (f Fields) ForTool() (name string, ok bool) {
	calls, reasons := f.Objects("tool_calls"), f.Objects("reasons")
	if len(calls) != 1 || len(reasons) != 1 || len(f.List("opaque")) > 0 ||
		len(f.Object("effects").List("net")) > 0 {
		return "", false
	}
	name, ok = strings.CutPrefix(calls[0].Text("tool_name"), "tool:")
	return name, ok && name != "" && reasons[0].Text("rule") == "tool.unknown"
}

// object parses a payload; nil when it is no canonical object.
func object(payload []byte) Fields {
	v, err := canonical.Parse(payload)
	if err != nil {
		return nil
	}
	return AsFields(v)
}
