package launcher

import (
	"encoding/json"
	"errors"
	"iter"
	"os"
	"slices"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/pathguard"
)

// A Replay says which recorded runs are judged again, and under what.
type Replay struct {
	Config    []byte // the text of another configuration; nil for the one in force
	File      string // where that is
	Since     time.Time
	Workspace string   // only runs in this directory and below; "" for all
	Accept    []string // rules that may allow what they did not

	from int64 // a byte of the log, to begin there
}

// recorded is what an intent says about its run.
type recorded struct {
	SID     string   `json:"sid"`
	Command string   `json:"command"`
	Inside  string   `json:"inside"`
	Dir     string   `json:"cwd"`
	Verdict string   `json:"verdict"`
	Rules   []string `json:"rules"`
	Policy  string   `json:"policy"`
	Plan    string   `json:"plan"`
	Undoes  string   `json:"undoes"`
	Shadow  struct {
		Verdict string   `json:"verdict"`
		Rules   []string `json:"rules"`
	} `json:"shadow"`
	time time.Time
}

// entries is a log that can be read.
type entries interface {
	Entries(audit.Filter) iter.Seq2[audit.Entry, error]
}

// intents calls visit for what was announced since a time in a workspace, oldest first.
func intents(log entries, o Replay, visit func(recorded)) error {
	for e, err := range log.Entries(audit.Filter{Kinds: []string{record.KindIntent},
		Since: o.Since, From: o.from}) {
		var bad *audit.BadEntry
		var r recorded
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil
		case errors.As(err, &bad): // audit verify names it
		case err != nil:
			return err
		case json.Unmarshal(e.Body, &r) == nil &&
			(o.Workspace == "" || isWithin(r.Dir, o.Workspace)):
			r.time = e.Time
			visit(r)
		}
	}
	return nil
}

// A tally counts the runs of one plan with the same verdict under the same policy.
type tally struct {
	verdict pathguard.Decision
	policy  int // in tallied.policies
	count   int
	rules   []string // of the record, unless it was allowed
}

// tallied are runs by the name of their plan.
type tallied struct {
	plans    map[string][]tally
	policies []string // digests
	without  int      // runs that have none
}

func tallyOf(log entries, o Replay) (t tallied, err error) {
	t.plans = map[string][]tally{}
	numbers := map[string]int{}
	err = intents(log, o, func(r recorded) {
		var verdict pathguard.Decision
		if r.Plan == "" || verdict.UnmarshalText([]byte(r.Verdict)) != nil {
			t.without++
			return
		}
		number, known := numbers[r.Policy]
		if !known {
			number = len(t.policies)
			numbers[r.Policy], t.policies = number, append(t.policies, r.Policy)
		}
		list := t.plans[r.Plan]
		i := slices.IndexFunc(list,
			func(is tally) bool { return is.verdict == verdict && is.policy == number })
		if i < 0 {
			i, list = len(list), append(list, tally{verdict: verdict, policy: number})
			if verdict != pathguard.Allow {
				list[i].rules = r.Rules
			}
		}
		list[i].count++
		t.plans[r.Plan] = list
	})
	return t, err
}
