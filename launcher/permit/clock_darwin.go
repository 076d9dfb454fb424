package permit

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
)

// clock reads both clocks. The monotonic one of macOS counts while the machine sleeps.
func (p *Approvals) clock() approval.Clock {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return approval.Clock{Now: p.dir.Now(), Boot: time.Duration(ts.Nano()), BootID: p.dir.BootID}
}
