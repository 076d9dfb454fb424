package launcher

import (
	"github.com/tada-run/tada-run/launcher/live"
	"github.com/tada-run/tada-run/launcher/replay"
	"github.com/tada-run/tada-run/launcher/setup"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// Recorded are the runs on record, to be judged again.
func (l *Launcher) Recorded() replay.Record {
	return replay.Record{Reader: l.Reader, Approvals: l.Approvals, Plans: l.state.Plans(),
		Account: l.accountOf(), Policy: l.policy}
}

// Live are the runs, to act on those that have not ended.
func (l *Launcher) Live() live.Runs { return live.Of(l.Reader, l.state) }

// Settings are the settings of other programs in which tada-run has a part.
func (l *Launcher) Settings() setup.Files {
	return setup.Files{State: l.state, Record: l.Record, Own: l.ownStore(), Who: person(tamper.CLI)}
}
