package live

import (
	"errors"
	"sync"
	"time"

	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/state"
)

// PauseAll has every run of the state directory stop until the order to freeze is gone, all at
// once. One that does not say within the time that it has stopped is ended. What was not started
// yet looks for the order itself. It returns the ids of those that are stopped, and of those that
// have ended.
func (n Runs) PauseAll(within time.Duration) (paused, ended []string, err error) {
	running, err := n.running()
	if err != nil {
		return nil, nil, err
	}
	var all sync.WaitGroup
	results := make([]pauseResult, len(running))
	for i, r := range running {
		if r.Within == "" { // otherwise its launcher is the whole session's
			all.Go(func() { results[i] = n.pauseRun(r.ID, within) })
		}
	}
	all.Wait()
	var failed []error
	for i, r := range results {
		switch {
		case r.paused:
			paused = append(paused, running[i].ID)
		case r.ended:
			ended = append(ended, running[i].ID)
		}
		failed = append(failed, r.err)
	}
	return paused, ended, errors.Join(failed...)
}

// A pauseResult is what became of a run.
type pauseResult struct {
	paused, ended bool
	err           error
}

// askedAgain is how often a launcher is told, until its run has stopped.
const askedAgain = 50 * time.Millisecond

func (n Runs) pauseRun(id string, within time.Duration) pauseResult {
	for limit := time.Now().Add(within); ; time.Sleep(askedAgain) {
		run, err := n.Past(id)
		switch {
		case errors.Is(err, state.ErrNoSuch):
			return pauseResult{}
		case err != nil:
			return pauseResult{err: err}
		case run.Paused:
			return pauseResult{paused: true}
		case !run.Ended.IsZero():
			return pauseResult{ended: true}
		}
		started := run.State == past.Running
		if late := time.Now().After(limit); late && started {
			_, err := n.endRun(id, within/4)
			return pauseResult{ended: err == nil, err: notRunning(err)}
		} else if late {
			return pauseResult{}
		}
		launcher, err := launcherOf(run)
		if err != nil {
			return pauseResult{err: notRunning(err)}
		}
		_ = launcher.signal(Order)
		launcher.close()
	}
}

// notRunning is err, or nil for a run that has ended meanwhile.
func notRunning(err error) error {
	if errors.Is(err, errNotRunning) {
		return nil
	}
	return err
}
