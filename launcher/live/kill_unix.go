//go:build linux || darwin

package live

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/state"
)

// killWait is how long a run may take to end after SIGTERM: a command's own grace and the
// time to write its end.
const killWait = 5 * time.Second

// Kill ends a run: SIGTERM, which its launcher passes on, and when that did not end it within
// five seconds SIGKILL to the launcher, whose whole tree dies with it. It returns whether
// the launcher could write the end down itself; errors are that the session is unknown or not
// running.
func (n Runs) Kill(id string) (gently bool, err error) { return n.endRun(id, killWait) }

// EndAll ends every run of the state directory, all at once, and returns the ids of those that have
// ended. A run that has not ended by itself within the time is killed. It needs no store of
// approvals: that of a fleet may be out of reach.
func (n Runs) EndAll(within time.Duration) ([]string, error) {
	running, err := n.running()
	if err != nil {
		return nil, err
	}
	var ends sync.WaitGroup
	results := make([]error, len(running))
	for i, r := range running {
		ends.Go(func() { _, results[i] = n.endRun(r.ID, within) })
	}
	ends.Wait()
	var ended []string
	var failed []error
	for i, r := range running {
		switch {
		case results[i] == nil:
			ended = append(ended, r.ID)
		case r.Within == "" && !errors.Is(results[i], errNotRunning):
			failed = append(failed, results[i])
		}
	}
	return ended, errors.Join(failed...)
}

// running returns the runs that have a place among those without an end.
func (n Runs) running() ([]past.Run, error) {
	ids, err := audit.RunningIDs(n.dir.Audit())
	if err != nil {
		return nil, err
	}
	var runs []past.Run
	for _, id := range ids {
		r, err := n.Past(id)
		if errors.Is(err, state.ErrNoSuch) {
			continue // its intent is not written yet
		}
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// endRun is Kill with a time in which the run may end by itself.
func (n Runs) endRun(id string, within time.Duration) (gently bool, err error) {
	run, err := n.Past(id)
	if err != nil {
		return false, err
	}
	if run.Within != "" { // its launcher is the whole session's
		return false, fmt.Errorf("%q runs inside session %q and ends with it; try: tadactl kill %s",
			id, run.Within, run.Within)
	}
	launcher, err := launcherOf(run)
	if err != nil {
		return false, err
	}
	defer launcher.close()
	if err := launcher.signal(unix.SIGTERM); err != nil {
		return false, fmt.Errorf("end session %q: %w", id, err)
	}
	if launcher.hasEnded(within) {
		run, err = n.Past(id)
		return run.State == past.Ended, err
	}
	if err := launcher.signal(unix.SIGKILL); err != nil &&
		!errors.Is(err, unix.ESRCH) {
		return false, fmt.Errorf("end session %q: %w", id, err)
	}
	if !launcher.hasEnded(killWait) {
		return false, fmt.Errorf("session %q is still running after SIGKILL: it is stuck in "+
			"the kernel", id)
	}
	return false, nil
}

// launcherOf returns the run's launcher, or an error that wraps errNotRunning.
func launcherOf(p past.Run) (process, error) {
	pid, err := strconv.Atoi(strings.SplitN(p.Process, "@", 2)[0])
	if err != nil {
		return process{}, fmt.Errorf("session %q: %w", p.ID, errNotRunning)
	}
	launcher, err := openProcess(pid, p.Process)
	if err != nil {
		return process{}, fmt.Errorf("session %q: %w", p.ID, errNotRunning)
	}
	if state.ProcessOf(pid) != p.Process || launcher.hasEnded(0) {
		// the process with that number is another one by now, or gone
		launcher.close()
		return process{}, fmt.Errorf("session %q: %w", p.ID, errNotRunning)
	}
	return launcher, nil
}

var errNotRunning = errors.New("it is not running; try: tadactl sessions")
