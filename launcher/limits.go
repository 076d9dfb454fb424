package launcher

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
)

// limits are those of the configuration; the wall clock is the launcher's own, because it is
// also the caller's: the shorter time counts.
func (j *Judgement) limits() sandbox.Limits {
	set := j.policy.Settings().Limits
	return sandbox.Limits{
		CPU: uint64(set.CPU / time.Second), Memory: uint64(set.Memory), Processes: uint64(set.Processes),
		FileSize: uint64(set.FileSize), Files: uint64(set.OpenFiles),
	}
}

// timeout is how long the command may take, 0 for as long as it likes.
func (j *Judgement) timeout() time.Duration {
	own, caller := j.policy.Settings().Limits.Time, j.Request.Timeout
	if own == 0 || caller > 0 && caller < own {
		return caller
	}
	return own
}

// A meter ends the run whose output has become more than it may be. What there is room for is recorded and
// passed on, to the byte.
type meter struct {
	left atomic.Int64
	over func()
	done atomic.Bool
}

func newMeter(set pathguard.Limits, over func()) *meter {
	if set.Output == 0 {
		return nil
	}
	m := &meter{over: over}
	m.left.Store(set.Output)
	return m
}

// take counts n bytes and returns how many of them there is room for.
func (m *meter) take(n int) int {
	if m == nil {
		return n
	}
	left := m.left.Add(-int64(n))
	if left >= 0 {
		return n
	}
	if !m.done.Swap(true) {
		m.over()
	}
	return int(max(0, int64(n)+left))
}

// exceeded tells which limit ended the run: nothing else in its output does.
func (r *run) exceeded(out io.Writer, s sandbox.Status) {
	if s.Exceeded == "" {
		return
	}
	fmt.Fprintf(out, "tada-run: the run was ended: it came to its limit of %s; limits stand in %s\n", s.Exceeded, r.l.home.Config())
}
