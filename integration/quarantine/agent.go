package quarantine

import (
	"fmt"
	"sync"
	"time"
)

// Unregistered is the agent of calls for which a platform names no agent, or one that was not
// registered. All of them share it, and so one limit: otherwise an agent that can change its name
// would have a limit for each name.
const Unregistered = "(unregistered)"

// An AgentState is the state of a quarantined agent. Its zero value means that there is no agent.
type AgentState string

// The states of an agent.
const (
	AgentReady AgentState = "ready" // registered, no call yet
	AgentBusy  AgentState = "busy"
	AgentEnded AgentState = "ended"
)

// An Agent is what is known of one quarantined agent. The key handle is the session's id: the key
// itself never leaves the broker.
type Agent struct {
	ID           string     `json:"id"`
	SessionID    string     `json:"session_id"`
	KeyHandle    string     `json:"key_handle"`
	State        AgentState `json:"state"`
	IsQuarantine bool       `json:"is_quarantine"` // always, for an agent that is known
	Created      time.Time  `json:"created"`
	Calls        int        `json:"calls"`
	Denied       int        `json:"denied"`
}

// agents are the agents of one session.
type agents struct {
	mu    sync.Mutex
	all   map[string]*Agent
	slots map[string]*slot
	bound map[string]bool // sessions of the platform in which all agents are quarantined
	rates rates
}

func newAgents() *agents {
	return &agents{all: map[string]*Agent{}, slots: map[string]*slot{}, bound: map[string]bool{}}
}

// Register quarantines an agent before its first call, and takes one of the slots that all sessions
// of this user share. If none is free it returns ErrBusy. If slots is nil (as in tests) there is no
// limit.
func (s *Session) Register(id string, slots *Slots) (Agent, error) {
	if err := s.alive(); err != nil {
		return Agent{}, err
	}
	if id == "" || len(id) > maxName {
		return Agent{}, fmt.Errorf("agent %q: a name has 1 to %d bytes", id, maxName)
	}
	a := s.agents
	a.mu.Lock()
	defer a.mu.Unlock()
	if known := a.all[id]; known != nil {
		return *known, nil
	}
	place, err := slots.take()
	if err != nil {
		return Agent{}, fmt.Errorf("agent %q: %w", id, err)
	}
	a.slots[id] = place
	a.all[id] = &Agent{ID: id, SessionID: s.ID, KeyHandle: s.ID, State: AgentReady,
		IsQuarantine: true, Created: s.o.Now()}
	return *a.all[id], nil
}

// MaxConcurrent is how many quarantined agents may run at once, in all sessions of a user together.
const MaxConcurrent = 5

// maxName is the maximum length of an agent's id and a tool's name in records.
const maxName = 256

// Agent returns what is known of an agent; ok is false for one that was never registered.
func (s *Session) Agent(id string) (agent Agent, ok bool) {
	s.agents.mu.Lock()
	defer s.agents.mu.Unlock()
	if a := s.agents.all[id]; a != nil {
		return *a, true
	}
	return Agent{}, false
}

// account returns the name under which a call is counted: the first registered one of its agent,
// the agent's type and the agent that started it.
func (a *agents) account(c Call) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range []string{c.Agent, c.Kind, c.Parent} {
		if a.all[id] != nil {
			return id
		}
	}
	return Unregistered
}

// called counts one call.
func (a *agents) called(id string, allowed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known := a.all[id]
	if known == nil {
		return
	}
	known.Calls++
	if !allowed {
		known.Denied++
	}
	if known.State == AgentReady {
		known.State = AgentBusy
	}
}

// end frees all slots.
func (a *agents) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, known := range a.all {
		known.State = AgentEnded
	}
	for _, place := range a.slots {
		place.free()
	}
	clear(a.slots)
}
