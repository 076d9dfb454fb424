package quarantine

import (
	"encoding/json"
	"errors"
)

// A Call is one tool call as a platform's hook reports it, in the words of this package. Only an
// adapter says which of the platform's names is Read, Grep or Glob.
type Call struct {
	Platform string `json:"platform_session,omitempty"` // the platform's own session
	// the caller; "" if the platform does not say
	Agent  string          `json:"agent,omitempty"`
	Kind   string          `json:"agent_type,omitempty"` // its kind of agent
	Parent string          `json:"parent,omitempty"`     // the agent that started it
	Tool   string          `json:"tool"`
	Input  json.RawMessage `json:"input,omitempty"` // a JSON object
	Dir    string          `json:"dir,omitempty"`   // where the agent works
	// the caller itself knows that it is quarantined
	Inside bool `json:"inside,omitempty"`
}

// A Decision answers a call. Its zero value denies.
type Decision struct {
	Quarantined bool   `json:"quarantined"` // false: quarantine does not concern this call
	Allowed     bool   `json:"allowed"`
	Reason      string `json:"reason,omitempty"`
	// the arguments to call the tool with instead
	Input map[string]any `json:"input,omitempty"`
	Event *Event         `json:"security_event,omitempty"`
}

// denied is the answer if there is no other.
func denied(reason string) Decision { return Decision{Quarantined: true, Reason: reason} }

// Holds reports whether a call belongs to this session: its agent was registered or is a child of
// one that was, or the platform's session is quarantined as a whole. There, an agent that the
// platform does not name, or that is not registered, is quarantined like the others.
func (s *Session) Holds(c Call) bool {
	if c.Inside {
		return true
	}
	s.agents.mu.Lock()
	defer s.agents.mu.Unlock()
	for _, id := range []string{c.Agent, c.Kind, c.Parent} {
		if id != "" && s.agents.all[id] != nil {
			return true
		}
	}
	return c.Platform != "" && s.agents.bound[c.Platform]
}

// Bind quarantines every agent in a session of the platform.
func (s *Session) Bind(platform string) {
	s.agents.mu.Lock()
	defer s.agents.mu.Unlock()
	s.agents.bound[platform] = true
}

// Enforce decides about one call, in this order: is the caller quarantined, is the tool one of the
// three, does its reference or folder belong to this session, is the agent within its limit. Then
// it logs the decision; if that fails, the call is denied. Every other failure is a denial too.
func (s *Session) Enforce(c Call, log *Log) (d Decision) {
	if !s.Holds(c) {
		return Decision{Allowed: true}
	}
	defer func() {
		if recover() != nil { // a bug of ours must not be an escape
			d = denied("quarantine failed, so the call is denied")
		}
	}()
	agent := s.agents.account(c)
	event := Event{Time: s.o.Now(), Session: s.ID, Agent: agent, Tool: c.Tool, Risk: RiskOf(c.Tool)}
	input, err := s.judge(c, &event)
	rate := s.agents.rates.check(agent, s.o.Now())
	if err == nil && !rate.Allowed {
		event.Type, err = EventRateLimited, errors.New(rate.Reason)
	}
	if err == nil {
		event.Type, event.Allowed = EventAllowed, true
	} else {
		event.Reason = err.Error()
	}
	s.agents.called(agent, err == nil)
	if logErr := log.Add(event); logErr != nil {
		return denied("the security log cannot be written, so everything is denied: " +
			logErr.Error())
	}
	if err != nil {
		d = denied(shown(event.Reason))
	} else {
		d = Decision{Quarantined: true, Allowed: true, Input: input}
	}
	d.Event = &event
	return d
}

// judge checks everything before the rate. It returns the arguments to call the tool with.
func (s *Session) judge(c Call, event *Event) (map[string]any, error) {
	if err := s.alive(); err != nil {
		event.Type = eventOf(err)
		return nil, err
	}
	event.Type = EventToolBlocked
	if !IsToolAllowed(c.Tool) {
		return nil, errors.New("a quarantined agent can use only Read, Grep and Glob")
	}
	args, err := arguments(c.Input)
	if err != nil {
		return nil, err
	}
	shape := shapes[c.Tool]
	name, where, err := shape.place(args)
	if err != nil {
		return nil, err
	}
	if c.Tool == "Read" {
		// The reference is checked before the other arguments, so that the error for a bad one says
		// what is wrong with it.
		r, err := s.verified(where)
		if err != nil {
			event.Type = eventOf(err)
			return nil, err
		}
		event.Path = r.Path
		args[name] = r.Path
		return args, shape.check(args)
	}
	if err := shape.check(args); err != nil {
		return nil, err
	}
	if len(shape.text) > 0 && args[shape.text[0]] == nil ||
		c.Tool == "Glob" && args["pattern"] == nil {
		return nil, errors.New("it has no search pattern")
	}
	real, err := s.confine(c.Dir, where, c.Tool == "Grep")
	if err != nil {
		return nil, err
	}
	event.Path = real
	if name == "" {
		name = "path"
	}
	args[name] = real
	return args, nil
}

// shown makes a reason safe to show to a model and on a terminal.
func shown(reason string) string { return Neutral(reason, 512) }
