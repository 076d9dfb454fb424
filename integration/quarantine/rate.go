package quarantine

import (
	"fmt"
	"sync"
	"time"
)

// The limit of calls: maxCalls in any window, for one agent.
const (
	maxCalls = 100
	window   = time.Minute
)

// A RateResult says whether an agent may call now.
type RateResult struct {
	Allowed    bool          `json:"allowed"`
	Reason     string        `json:"reason,omitempty"`
	RetryAfter time.Duration `json:"retry_after,omitempty"` // until the next call would be allowed
}

// rates counts the calls of agents with a sliding log: exact, with at most 100 times of 24 bytes
// for an agent. Calls that are denied for another reason count, because a guess costs as much as a
// call. Calls that are denied for their rate do not: an agent that keeps trying may call again
// after a minute, like one that waits.
type rates struct {
	mu    sync.Mutex
	calls map[string][]time.Time
}

// check counts one call of agent and says whether it exceeds the limit.
func (r *rates) check(agent string, now time.Time) RateResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	calls := r.calls[agent]
	for len(calls) > 0 && now.Sub(calls[0]) >= window {
		calls = calls[1:]
	}
	if r.calls == nil {
		r.calls = map[string][]time.Time{}
	}
	if len(calls) < maxCalls {
		r.calls[agent] = append(calls, now)
		return RateResult{Allowed: true}
	}
	r.calls[agent] = calls
	wait := window - now.Sub(calls[0])
	return RateResult{
		Reason: fmt.Sprintf("at most %d calls in %v; try again in %v", maxCalls, window,
			wait.Round(time.Second)),
		RetryAfter: wait,
	}
}
