package replay

import (
	"slices"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/pathname"
)

// Options say which recorded runs are judged again, and under what.
type Options struct {
	Policy    *pathguard.Policy // nil for the one in force
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
	// Decision is about a call of another program, which is no run
	Decision string `json:"decision"`
	Shadow   struct {
		Verdict string   `json:"verdict"`
		Rules   []string `json:"rules"`
		Error   string   `json:"error"`
	} `json:"shadow"`
	time time.Time
}

// isCall reports whether a decision of a hook is about a call of an agent's own tool that was
// judged. Else its command is a run, which the log has too.
func (r recorded) isCall() bool { return r.SID != "" && r.Verdict != "" }

// judged calls visit for what was announced since a time in a workspace, and what hooks decided
// about, oldest first. bad is how many lines of that part of the log are no entries.
func judged(log record.Entries, o Options, visit func(recorded)) (bad int, err error) {
	f := audit.Filter{Kinds: []string{record.KindIntent, record.KindHook},
		Since: o.Since, From: o.from}
	workspace := past.Recorded(o.Workspace)
	return record.Bodies(log, f, func(at time.Time, r recorded) {
		if workspace == "" || pathname.Within(r.Dir, workspace) {
			r.time = at
			visit(r)
		}
	})
}

// NamedPlans says the name of the plan of each run of a log from a byte on, and of each call of an
// agent's own tool.
func NamedPlans(log record.Entries, from int64, say func(name string)) error {
	_, err := judged(log, Options{from: from}, func(r recorded) {
		if r.Plan != "" {
			say(r.Plan)
		}
	})
	return err
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
	calls    int      // of tools of an agent's own, which were decided about and are no runs
	bad      int      // lines of the log that are no entries
}

func tallyOf(log record.Entries, o Options) (t tallied, err error) {
	t.plans = map[string][]tally{}
	numbers := map[string]int{}
	t.bad, err = judged(log, o, func(r recorded) {
		var verdict pathguard.Decision
		if r.Decision != "" && r.Plan == "" {
			if r.isCall() {
				t.calls++
			}
			return
		}
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

// A Record has runs that can be judged again, the plans of these, and the policy in force.
type Record struct {
	*past.Reader
	Approvals *permit.Approvals
	Plans     string // the folder of the plans
	Account   pathguard.Account
	Policy    pathguard.Policy
}
