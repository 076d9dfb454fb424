package launcher

import "github.com/tada-run/tada-run/launcher/replay"

// Recorded are the runs on record, to be judged again.
func (l *Launcher) Recorded() replay.Record {
	return replay.Record{Reader: l.Reader, Approvals: l.Approvals, Plans: l.state.Plans(),
		Account: l.accountOf(), Policy: l.policy}
}
