package launcher

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/pathguard"
)

// QuarantineVariable is the variable in an agent's environment that names the quarantine it is in.
// A process that inherits it can run nothing, even if the hooks of its platform have missed that.
// It can only restrict.
const QuarantineVariable = "TADA_QUARANTINE"

// heldIn returns the refusal of a request that comes out of a quarantine, or nil.
func (j *Judgement) heldIn() *refusal.Refusal {
	if !slices.ContainsFunc(j.Request.Env, func(v string) bool {
		value, ok := strings.CutPrefix(v, QuarantineVariable+"=")
		return ok && value != ""
	}) {
		return nil
	}
	return refusal.Of(j.Locale(), pathguard.Verdict{}, "denied", "policy_denied",
		j.say("quarantined"), exit.Denied)
}
