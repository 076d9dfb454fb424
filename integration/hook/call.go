package hook

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"
)

// A Call is one tool call that a platform asks about. The zero Call is for an unknown tool.
type Call struct {
	Platform string
	Session  string // the platform's own id of the conversation
	// the platform's own id of an agent that another one started; "" for the main one, or if it has
	// none
	Agent string
	Kind  string // the platform's word for the kind of agent; "" if it has none
	ID    string // the platform's own number of the call; "" if it has none
	Dir   string // the working directory, absolute

	Tool string // byte for byte as the platform named it
	As   Tool   // what it is; the zero Tool for one that is not the platform's own, or is unknown
	Args Object

	// Wrapped says that the platform's shell already is tada-run: a command goes through it without
	// being rewritten.
	Wrapped bool
	// Fixed says that the platform ignores changed arguments in the answer to this event.
	Fixed bool
}

// A Tool says which built-in tool a platform's name means, and the platform's names of its
// arguments.
type Tool struct {
	Builtin string // a name of Builtins
	// from the names that Builtins uses to the platform's; a missing one is the same in both
	Names map[string]string
	// a command line that is only a patch is applied by the platform itself
	Patches bool
	// a command that is denied goes on, and tada-run denies it where it would run: the platform
	// does not tell its model why a hook blocks
	Late bool
	// it affects only the conversation; the calls of agents that it starts are asked about
	// themselves
	Talks bool
}

// A Decision is the answer to a Call. The zero Decision blocks it.
type Decision struct {
	Allowed bool   `json:"allowed"`
	Reason  string `json:"reason,omitempty"` // why it is blocked, for the agent
	// no other call would go on either, so the agent is to stop
	Ends bool `json:"ends,omitempty"`
	// the kind of event that a quarantine made of it
	SecurityEvent string `json:"securityEvent,omitempty"`
	// the rule of the user's by which the platform asks the user before it goes on
	Ask string `json:"ask,omitempty"`
	// arguments to use instead of those that were sent
	Change Object `json:"change,omitempty"`
	// what else the person has to know, at the first call of a conversation
	Told string `json:"told,omitempty"`
	// the head of the record that includes this decision, SIZE:HASH
	Audit string `json:"audit,omitempty"`
}

// blocked returns the Decision to block a call. The record's head comes last, where readers expect
// it.
func blocked(reason, head string) Decision {
	return Decision{Reason: reason + "\naudit=" + head, Audit: head}
}

// unwitnessed is a block that is not recorded: instead of the head it says why.
func unwitnessed(err, record error) Decision {
	return Decision{Reason: failure(err) + "\naudit=none: " + strings.ReplaceAll(record.Error(),
		"\n", "; ")}
}

func failure(err error) string {
	return "tada-run: blocked: " + cmp.Or(strings.TrimSpace(err.Error()), "unknown error")
}

// An Object is a JSON object with its members as they were sent.
type Object map[string]json.RawMessage

// Text returns a string member. It reports false if there is none or it is not a string.
func (o Object) Text(name string) (string, bool) {
	var s *string
	if raw, ok := o[name]; !ok || json.Unmarshal(raw, &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}

// With returns the object with its members replaced by those of change.
func (o Object) With(change Object) Object {
	all := make(Object, len(o)+len(change))
	for _, from := range []Object{o, change} {
		for name, value := range from {
			all[name] = value
		}
	}
	return all
}

// quoted returns s as JSON.
func quoted(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil { // not for a string
		return json.RawMessage(`""`)
	}
	return raw
}

// Limit is how long a decision may take, and LastWord how much longer it may take to record that
// there was none. The platforms wait for 30 s or more; one that is configured to wait for a person
// waits longer.
const (
	Limit    = 10 * time.Second
	LastWord = 3 * time.Second
)
