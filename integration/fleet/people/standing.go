package people

import (
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

// A Standing is what a machine says of a bundle that it has.
type Standing struct {
	Name    string // "" if it cannot read its bundles
	Version int64
	Stage   document.Stage
	Runs    int    // of its last runs, those that were tried with the bundle
	Differ  int    // of them, those that the bundle would have judged differently
	Denied  int    // of them, those that it would have denied
	Error   string // why the machine cannot use it; "" if it can
}

// What is taken from one machine.
const (
	maxStanding = 64
	maxRuns     = 1 << 20
)

func readStandings(f plan.Fields) (list []Standing) {
	for _, o := range f.Objects("policies") {
		count := func(name string) int { return int(min(max(o.Number(name), 0), maxRuns)) }
		list = append(list, Standing{Name: shown(o.Text("name")),
			Version: o.Number("version"), Stage: document.Stage(shown(o.Text("stage"))),
			Runs: count("runs"), Differ: count("differ"), Denied: count("denied"),
			Error: shown(o.Text("error"))})
		if len(list) == maxStanding {
			break
		}
	}
	return list
}
