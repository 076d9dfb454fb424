package launcher

import (
	"time"

	"github.com/tada-run/tada-run/audit"
)

// A seal costs three writes to the disk. They are made while a command runs, so that nothing waits
// for them; if all commands are too short for that, one run of hundreds makes them.
const (
	sealAfter  = 100 * time.Millisecond
	sealAtLast = 4 * audit.SealEvery
)

// seal signs what is in the log by now. If it fails, the run has not failed, because it is
// recorded: the log stays unsealed for longer, and `tadactl audit verify` reports how long.
func (a *attempt) seal() {
	if a.log.SealDue() {
		if e, err := a.log.Seal(a.l.state.Random); err == nil {
			_ = a.l.MoveOn(e) // so that the next reader reads no more than this
		}
	}
}
