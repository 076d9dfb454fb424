package launcher

import (
	"fmt"
	"time"

	"github.com/tada-run/tada-run/launcher/live"
	"github.com/tada-run/tada-run/launcher/replay"
	"github.com/tada-run/tada-run/launcher/setup"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// Recorded are the runs on record, to be judged again.
func (l *Launcher) Recorded() replay.Record {
	return replay.Record{Reader: l.Reader, Approvals: l.Approvals, Plans: l.state.Plans(),
		Account: l.accountOf(), Policy: l.policy}
}

// Live are the runs, to act on those that have not ended.
func (l *Launcher) Live() live.Runs { return live.Of(l.Reader, l.state) }

// Tighter is [replay.Record.Tighter] for the workspace that dir is in, and the file that the
// configuration is for.
func (l *Launcher) Tighter(dir string, since time.Time) (t replay.Tighter, file string, ok bool,
	err error) {
	j, err := l.Judge(Request{Dir: dir, Shell: shell.Call{Text: ":"}})
	if err != nil {
		return t, "", false, err
	}
	workspace := j.Plan.Workspace
	_ = j.Close()
	if workspace == "" {
		return t, "", false, fmt.Errorf("%q is in no workspace; try it in a project directory", dir)
	}
	own, err := l.rulesOf(&pathguard.Plan{Workspace: workspace})
	if err != nil {
		return t, "", false, err
	}
	t, ok, err = l.Recorded().Tighter(workspace, own, since)
	return t, pathguard.WorkspaceConfig(workspace).Path, ok, err
}

// Settings are the settings of other programs in which tada-run has a part.
func (l *Launcher) Settings() setup.Files {
	return setup.Files{State: l.state, Record: l.Record, Own: l.ownStore(), Who: person(tamper.CLI)}
}
