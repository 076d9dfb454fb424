package launcher

// Tiers: how much of the agent the sandbox contains (doctor explains them).
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
