package launcher

import (
	"github.com/tada-run/tada-run/launcher/live"
	"github.com/tada-run/tada-run/launcher/replay"
)

// Recorded are the runs on record, to be judged again.
func (l *Launcher) Recorded() replay.Record {
	return replay.Record{Reader: l.Reader, Approvals: l.Approvals, Plans: l.state.Plans(),
		Account: l.accountOf(), Policy: l.policy}
}

// Live are the runs, to act on those that have not ended.
func (l *Launcher) Live() live.Runs { return live.Of(l.Reader, l.state) }
