package launcher

import (
	"time"

	"github.com/tada-run/tada-run/audit"
)

// A seal costs three stores to the disk. They are paid for while a command runs, when nobody
// waits for us; where all commands are too short for that, by one run of hundreds.
const (
	sealAfter  = 100 * time.Millisecond
	sealAtLast = 4 * audit.SealEvery
)

// seal signs what is in the log by now. That it failed is no failure of the run, which is
// recorded: the log then stays unsealed for longer, and `tadactl audit verify` tells how long.
func (a *attempt) seal() {
	if a.log.SealDue() {
		if e, err := a.log.Seal(a.l.state.Random); err == nil {
			_ = a.l.MoveOn(e) // so that the next who asks reads no more than this
		}
	}
}
