package watch

import (
	"errors"
	"io"
	"maps"

	"github.com/tada-run/tada-run/launcher/broker"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
)

// A Before is what is known of a command that has not begun.
type Before struct {
	Plan    *pathguard.Plan
	Verdict pathguard.Verdict
	Exact   bool             // every write of the plan is known
	Profile sandbox.Profile  // of its sandbox
	Limits  pathguard.Limits // of the run
	Removed []string         // variables that it does not get
	Session bool             // it is a session, which ends with all that it started
}

// An After is what is known of one that has ended.
type After struct {
	Status     sandbox.Status
	Receipt    sandbox.Receipt
	Complaints string // the end of its standard error
	Approved   bool   // a person approved exactly this plan
	Careful    bool   // a person may have worked beside it, so nothing is deleted
	GoesOn     bool   // its remaining processes continue
	WhyEnded   string // why it does not, where the configuration wants it to; "" for no reason
	TimedOut   string // the notice that it was ended after its time limit; "" where it was not

	Network                                    // what it did with it
	Dropped func() (bytes int64, total bool)   // what of its output is not in the transcript
	Once    func(out io.Writer, notice string) // writes a notice that was never written before
	Verify  func(out io.Writer) error          // verifies protected files that it could change
}

// A Network is what a command did with the network.
type Network struct {
	Traffic func() broker.Traffic
	Asked   []refusal.Connection // with open questions
}

// Found are fields of the entry about the end of a run.
type Found = map[string]any

// A Moment is when something is compared.
type Moment uint

// The moments. At a hand-over the command has ended and its remaining processes continue; they are
// compared once more when those end.
const (
	Ended      Moment = 1 << iota // the command and all that it started have ended
	Closed                        // after that, and nothing is written to the transcript any more
	HandOver                      // at a hand-over
	BeforeHand                    // before one, which an error prevents
)

// A watcher looks at one thing before a command and returns what compares it; nil where the command
// cannot change it.
type watcher struct {
	when Moment
	look func(Before) compare
}

// A compare reports to the person on out what the command did, and returns it for the log. The
// error is for what must not count as a success.
type compare func(a After, out io.Writer) (Found, error)

// after is a watcher for what needs no look before.
func after(look func(b Before, a After, out io.Writer) Found) func(Before) compare {
	return func(b Before) compare {
		return func(a After, out io.Writer) (Found, error) { return look(b, a, out), nil }
	}
}

// Comparisons are the watchers that have looked before one command.
type Comparisons []comparison

type comparison struct {
	when    Moment
	compare compare
}

// Find compares what is to be compared now, and adds it to found.
func (list Comparisons) Find(found Found, now Moment, a After, out io.Writer) error {
	var problems []error
	for _, c := range list {
		if c.when&now == 0 || c.compare == nil {
			continue
		}
		fields, err := c.compare(a, out)
		maps.Copy(found, fields)
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// finding is a list under the name of its field; nothing where it is empty.
func finding(field string, list []string) Found {
	if len(list) == 0 {
		return nil
	}
	return Found{field: list}
}
