package agent

import (
	"context"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/state"
)

const (
	// lastRuns is how many runs of the record count for a trial.
	lastRuns = 1000
	// trialEvery is how often the results of trials are looked at.
	trialEvery = 5 * time.Second
	// maxStanding is the most bundles of which a machine says something.
	maxStanding = 64
)

// hasNews has the machine say soon what it is.
func (a *Agent) hasNews() {
	select {
	case a.news.changed <- struct{}{}:
	default: // it will
	}
}

// standing is what the machine says of its bundles.
func (a *Agent) standing() ([]any, error) {
	list := a.news.bad.list()
	all, err := a.Launcher.Home().Bundles()
	if err != nil {
		list = append(list, map[string]any{"error": brief(err)})
	}
	force, tried := state.InForce(all)
	for _, b := range force {
		bad := a.news.bad.of(b.Name + "." + b.Stage())
		if bad != nil && bad["version"] == b.Version {
			continue
		}
		list = append(list, map[string]any(said(b)))
	}
	var trials map[string]launcher.Trial
	if len(tried) > 0 {
		if trials, err = a.Launcher.Trials(lastRuns); err != nil {
			return nil, err
		}
	}
	for _, b := range tried {
		f, t := said(b), trials[b.String()]
		f["runs"], f["differ"], f["denied"] = t.Runs, t.Differ, t.Denied
		list = append(list, map[string]any(f))
	}
	return list[:min(len(list), maxStanding)], nil
}

func said(b state.Bundle) plan.Fields {
	return plan.Fields{"name": b.Name, "version": b.Version, "stage": b.Stage()}
}

// followTrials has the machine say how its trials stand after it has run something.
func (a *Agent) followTrials(ctx context.Context) error {
	var last string
	for ctx.Err() == nil {
		if all, err := a.Launcher.Home().Bundles(); err == nil {
			_, tried := state.InForce(all)
			head, err := a.Launcher.Head()
			if err == nil && len(tried) > 0 && head.String() != last {
				last = head.String()
				a.hasNews()
			}
		}
		wait(ctx, trialEvery)
	}
	return nil
}
