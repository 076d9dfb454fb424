package platform

import (
	"encoding/json"
	"strings"

	"github.com/tada-run/tada-run/integration/hook"
)

// exit2 blocks in the way of most platforms: the reason on standard error, and the one status that
// blocks.
func exit2(reason string) hook.Answer { return hook.Answer{Status: 2, Stderr: reason + "\n"} }

// stop blocks, and ends the turn, in the way of Claude Code and those that follow it. The person
// sees the first line.
func stop(event, reason string) hook.Answer {
	line, _, _ := strings.Cut(reason, "\n")
	return say(object{"continue": false, "stopReason": line, "hookSpecificOutput": object{
		"hookEventName": event, "permissionDecision": "deny",
		"permissionDecisionReason": reason}})
}

// say is an answer on standard output.
func say(v any) hook.Answer {
	raw, err := json.Marshal(v)
	if err != nil {
		return exit2("tada-run: blocked: " + err.Error())
	}
	return hook.Answer{Stdout: string(raw) + "\n"}
}

type object = map[string]any

// told adds what the platform shows to the person.
func told(d hook.Decision, answer object) object {
	if d.Told != "" {
		answer["systemMessage"] = "tada-run: " + d.Told
	}
	return answer
}

func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}

// texts reads a list of texts, or one.
func texts(v json.RawMessage) (list []string, err error) {
	var one string
	if json.Unmarshal(v, &one) == nil {
		return []string{one}, nil
	}
	return list, json.Unmarshal(v, &list)
}
