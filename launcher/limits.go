package launcher

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
)

// limited are the limits of this run, and which of them a file has named. Package pathguard has the
// table of them.
func (j *Judgement) limited() (limits, named pathguard.Limits) {
	set := j.policy.Settings()
	return set.LimitsOf(defaultLimits()), set.LimitsOf(pathguard.Limits{})
}

// defaultLimits are those of this machine, read once: each run asks for them several times.
var defaultLimits = sync.OnceValue(func() pathguard.Limits {
	instances, watches := inotifyOfAccount()
	return pathguard.Limits{
		Memory:    memoryOfMachine() / 4 * 3 &^ (1<<20 - 1),
		Processes: int64(max(4096, 256*runtime.NumCPU())),
		Inotify:   instances / 2, Watches: watches / 2, Record: 256 << 20, RecordRate: 4 << 20,
	}
})

// limits are the limits that the sandbox enforces; the launcher enforces the wall clock, because
// the caller sets it too: the shorter time counts.
func (j *Judgement) limits() sandbox.Limits {
	set, named := j.limited()
	return sandbox.Limits{
		CPU: uint64(set.CPU / time.Second), Memory: uint64(set.Memory),
		Processes: uint64(set.Processes),
		Inotify:   uint64(set.Inotify), Watches: uint64(set.Watches),
		FileSize: uint64(set.FileSize),
		Files:    uint64(set.OpenFiles),
		Grouped:  named.CPU != 0 || named.Memory != 0 || named.Processes != 0,
	}
}

// timeout is how long the command may take, 0 for as long as it likes.
func (j *Judgement) timeout() time.Duration {
	set, _ := j.limited()
	if own, caller := set.Time, j.Request.Timeout; own == 0 || caller > 0 && caller < own {
		return caller
	}
	return set.Time
}

// A meter ends the run whose output has become more than it may be. What there is room for is
// recorded and passed on, to the byte.
type meter struct {
	left atomic.Int64
	over func()
	done atomic.Bool
}

func newMeter(most int64, over func()) *meter {
	if most == 0 {
		return nil
	}
	m := &meter{over: over}
	m.left.Store(most)
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

// recorded are the limits of the transcript, in the words of its recorder, for which 0 is another
// one.
func (j *Judgement) recorded() (most, rate int64) {
	limits, _ := j.limited()
	if most = limits.Record; most == 0 {
		most = math.MaxInt64
	}
	return most, limits.RecordRate
}

// overtime is the notice that a run was ended after its time limit.
func (j *Judgement) overtime(shown string) string {
	by := "--timeout"
	if j.timeout() != j.Request.Timeout {
		by = "limits.time; to raise it: tadactl policy edit"
	}
	return fmt.Sprintf("timeout: %s ended after %v (%s)", refusal.Clip(strconv.Quote(shown)),
		j.timeout(), by)
}
