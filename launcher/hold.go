package launcher

import "os"

// A Hold makes a request a session: its terminal belongs to no caller's, people and programs attach
// to it and leave, and it lasts until its program ends.
type Hold struct {
	Front  *os.File // connected to whoever started it, who drives until somebody takes over; nil for nobody
	Author string   // of what is typed there: "person", or "agent:NAME"
	Shell  bool     // an interactive shell, which asks about each line before it runs it
	Door   string   // the path of tada-run, for that shell
}

// Tiers: how much of the agent the fence holds (doctor explains them).
const (
	Tier        = "T0" // its commands
	TierSession = "T1" // the agent itself, and all that it starts
)

// tier is that of this run.
func (j *Judgement) tier() string {
	if j.Request.Hold != nil || j.Request.Within != nil {
		return TierSession
	}
	return Tier
}
