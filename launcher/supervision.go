package launcher

import (
	"time"

	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// A supervision is a run from its start to its end: what the launcher does beside the command.
type supervision struct {
	*started
	*background               // what may go on when the command has ended
	ends        string        // why nothing may, where the configuration wants it to
	contacts    connectionLog // its connections, on their way into the log
	timedOut    bool
	stopping    bool             // this process was asked to stop
	limit       countdown        // to the time limit
	pause       *time.Ticker     // while an order of the fleet stops it; nil otherwise
	kill        <-chan time.Time // when what was asked to end is killed
}

// A change is what the kernel reported about the command.
type change struct {
	status sandbox.Status
	err    error
}

// An ended is a run whose command has ended. What it left running may go on.
type ended struct {
	*supervision
	status sandbox.Status
	goesOn bool // its remaining processes continue
	asked  []refusal.Connection
}
