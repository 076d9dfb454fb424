package launcher

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/pathguard"
)

// A Batch is several requests that a person is asked about once, with an answer for each, and that
// run one after the other.
//
// Each request has its own CallID. Agent, WorkItem and Profile are those of the first; Ask and Wait
// of the requests are not used. No two requests should read the same standard input.
type Batch struct {
	Calls []Request

	Wait time.Duration // how long to wait for a person who is not at this terminal
	Ask  func(context.Context, approval.Envelope) (approval.Decision, error)

	// Stop ends the batch at the first call that was denied or could not be run: for steps that
	// build on each other. One that ran and failed does not end it, as a line of a script does not.
	// Without Stop a denied call is skipped, and the others run.
	Stop bool
	// Begin is called before a call is run or refused, End when that is over, in the order of the
	// calls. Both may be nil.
	Begin func(i int)
	End   func(i int, r BatchResult)
}

// A BatchResult is what came of one call of a batch.
type BatchResult struct {
	ID      string
	Outcome Outcome // with a Refusal when it did not run
	Err     error   // tada-run failed at this call: see [Launcher.Run]
}

// Status is the exit status for this call alone.
func (r BatchResult) Status() int {
	if r.Err != nil {
		return ExitOf(r.Err)
	}
	return r.Outcome.Status
}

// MaxCalls is how many calls a batch may have. A person does not review more at once.
const MaxCalls = 64

// ErrBatch is returned by RunBatch for calls that cannot be answered one by one.
var ErrBatch = errors.New("a batch needs 1 to 64 calls with different ids")

// A batch is a Batch that was judged, on its way to its results.
type batch struct {
	Batch
	l     *Launcher
	calls []*Judgement // as they were shown

	envelope string                  // of the approval that was consumed; "" while there is none
	plan     string                  // hash of what was asked
	answers  []approval.CallDecision // the person's, for the calls that were asked
	refusal  *refusal.Refusal        // why nothing of it may run; nil when it may
	stopped  bool                    // a call was refused or not run, and nothing runs after it
}

func (l *Launcher) judgeBatch(b Batch) (*batch, error) {
	seen := map[string]bool{"": true}
	for _, c := range b.Calls {
		if seen[c.CallID] {
			return nil, fmt.Errorf("call %q: %w", c.CallID, ErrBatch)
		}
		seen[c.CallID] = true
	}
	if n := len(b.Calls); n == 0 || n > MaxCalls {
		return nil, fmt.Errorf("%s: %w", audit.Plural(n, "call"), ErrBatch)
	}
	m := &batch{Batch: b, l: l}
	return m, m.judge()
}

// judge judges all calls again.
func (m *batch) judge() error {
	fresh := make([]*Judgement, 0, len(m.Calls))
	for _, c := range m.Calls {
		j, err := m.l.Judge(c)
		if err != nil {
			for _, j := range fresh {
				_ = j.Close()
			}
			return fmt.Errorf("call %q: %w", c.CallID, err)
		}
		fresh = append(fresh, j)
	}
	m.close()
	m.calls = fresh
	return nil
}

func (m *batch) close() {
	for _, j := range m.calls {
		_ = j.Close()
	}
	m.calls = nil
}

// asked are the calls that a person answers: all that policy does not deny. Those that it allows
// are among them, because what a command does depends on what ran before it.
func (m *batch) asked() []*Judgement {
	return slices.DeleteFunc(slices.Clone(m.calls),
		func(j *Judgement) bool { return j.Verdict.Decision == pathguard.Deny })
}
