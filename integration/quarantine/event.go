package quarantine

import (
	"encoding/json"
	"time"
)

// An EventType classifies what happened. Its zero value is not a type and is refused.
type EventType string

// The types of events.
const (
	EventAllowed         EventType = "allowed"
	EventToolBlocked     EventType = "tool_blocked"
	EventHMACInvalid     EventType = "hmac_invalid"
	EventExpired         EventType = "expired"
	EventSessionMismatch EventType = "session_mismatch"
	EventRateLimited     EventType = "rate_limited"
	EventTimeout         EventType = "timeout"
	EventResponseInvalid EventType = "response_invalid"
)

// eventOf returns the type of an error of a reference or a session.
func eventOf(err error) EventType {
	switch CodeOf(err) {
	case CodeOK:
		return EventAllowed
	case CodeMalformed, CodeBadHMAC:
		return EventHMACInvalid
	case CodeExpired, CodeFuture: // outside the time for which it was signed
		return EventExpired
	case CodeWrongSession:
		return EventSessionMismatch
	case CodeTimeout:
		return EventTimeout
	case CodeBusy:
		return EventRateLimited
	}
	return EventToolBlocked
}

// An Event is one line of the security log. It contains no argument of a call except the path of a
// reference, and never a key or an HMAC.
type Event struct {
	Time    time.Time `json:"time"`
	Type    EventType `json:"type"`
	Session string    `json:"session"`
	Agent   string    `json:"agent,omitempty"`
	Tool    string    `json:"tool,omitempty"`
	Risk    Risk      `json:"risk,omitempty"`
	Allowed bool      `json:"allowed"`
	Reason  string    `json:"reason,omitempty"`
	Path    string    `json:"path,omitempty"` // in the log escaped as in a URI
}

// line returns the event as one line of JSON, redacted.
func (e Event) line() ([]byte, error) {
	e.Time = e.Time.UTC()
	for _, text := range []*string{&e.Agent, &e.Tool, &e.Reason, &e.Path} {
		*text = redact(*text)
	}
	e.Path = string(appendEscaped(nil, e.Path))
	b, err := json.Marshal(e)
	return append(b, '\n'), err
}
