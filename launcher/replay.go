package launcher

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/frozen"
	"github.com/tada-run/tada-run/pathguard/pathname"
)

// A Replay says which recorded runs are judged again, and under what.
type Replay struct {
	Config    []byte // the text of another configuration; nil for the one in force
	File      string // where that is
	Since     time.Time
	Workspace string   // only runs in this directory and below; "" for all
	Accept    []string // rules that may allow what they did not
}

// A Replayed is what recorded runs would be under another policy.
type Replayed struct {
	Runs    int       // that were judged again
	Plans   int       // of how many different plans
	Same    int       // runs with the verdict on record
	Changes []Changed // what would be looser first, then by count
	Skipped []Skipped // runs that cannot be judged again
	Earlier int       // runs whose record names another policy than the one in force
}

// A Changed is a group of runs with another verdict: those for which the same rules decide.
type Changed struct {
	From     string    `json:"from"`
	To       string    `json:"to"`
	Rules    []string  `json:"rules"` // of the stricter verdict
	By       []string  `json:"by"`    // rules of the other configuration that have this verdict
	Count    int       `json:"count"`
	Earlier  int       `json:"earlier"` // of them, those that Replayed.Earlier counts
	Examples []Example `json:"examples"` // the newest, at most three
	Accepted bool      `json:"accepted"` // every rule is one of Replay.Accept
}

// Allows reports whether the runs of a group would no longer be asked about or denied.
func (c Changed) Allows() bool { return c.To == pathguard.Allow.String() }

// An Example is one run of a group.
type Example struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Dir     string    `json:"cwd"`
	Command string    `json:"command"`
}

// A Skipped is why runs were not judged again, and how many.
type Skipped struct {
	Why   string `json:"why"`
	Count int    `json:"count"`
}

// mostExamples is how many runs of a group are named.
const mostExamples = 3

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
	time    time.Time
}

// Why a run has no plan to be judged.
const (
	noPlan   = "without a plan on record: by an earlier version, too long, or not a command"
	lostPlan = "the plan is missing from the record; see tadactl audit verify"
)

// Replay judges recorded runs under another configuration, by the plans on record. It neither reads
// what the plans name nor writes anything.
func (l *Launcher) Replay(o Replay) (Replayed, error) {
	p := l.policy
	if o.Config != nil {
		var err error
		if p, err = l.policyWith(o.Config); err != nil {
			return Replayed{}, of(o.File, err)
		}
	}
	t := &replaying{Replay: o, groups: map[string]*Changed{}, skipped: map[string]int{},
		runs: map[string][]recorded{}, next: rejudge{policy: p, home: l.account},
		now: rejudge{policy: l.policy, home: l.account}}
	if err := t.read(l); err != nil {
		return Replayed{}, err
	}
	for plan := range audit.Plans(l.state.Plans(), l.Codec) {
		if runs := t.runs[plan.Name]; runs != nil {
			delete(t.runs, plan.Name)
			t.plan(plan, runs)
		}
	}
	for _, runs := range t.runs {
		t.skipped[lostPlan] += len(runs)
	}
	return t.result(), nil
}

// of makes a mistake in a configuration that is tried one of the file that it is in.
func of(file string, err error) error {
	if mistake := (*pathguard.ConfigError)(nil); errors.As(err, &mistake) && mistake.Line > 0 {
		mistake.File, mistake.Fix = file, ""
	}
	return err
}

// replaying is a replay that goes on.
type replaying struct {
	Replay
	next, now rejudge
	runs      map[string][]recorded // by the name of their plan
	groups    map[string]*Changed
	skipped   map[string]int
	done      Replayed
}

// read reads the intents.
func (t *replaying) read(l *Launcher) error {
	for e, err := range l.Entries(audit.Filter{Kinds: []string{record.KindIntent},
		Since: t.Since}) {
		var bad *audit.BadEntry
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil
		case errors.As(err, &bad):
			continue // audit verify names it
		case err != nil:
			return err
		}
		var r recorded
		if json.Unmarshal(e.Body, &r) != nil ||
			t.Workspace != "" && !pathname.Within(r.Dir, t.Workspace) {
			continue
		}
		r.time = e.Time
		if r.Plan == "" {
			t.skipped[noPlan]++
			continue
		}
		t.runs[r.Plan] = append(t.runs[r.Plan], r)
	}
	return nil
}

// plan judges one plan again and compares it with what its runs were.
func (t *replaying) plan(p audit.Plan, runs []recorded) {
	err := p.Err
	var f *frozen.Frozen
	if err == nil {
		f, err = frozen.Thaw(p.Bytes)
	}
	var v pathguard.Verdict
	if err == nil {
		v, err = t.next.judge(f)
	}
	if err != nil {
		if errors.Is(err, frozen.ErrOther) {
			err = errOtherVersion
		}
		t.skipped[err.Error()] += len(runs)
		return
	}
	t.done.Plans++
	inForce, _ := t.now.at(f)
	for _, r := range runs {
		earlier := 0
		if r.Policy != inForce.Digest() {
			earlier = 1
		}
		t.done.Runs++
		t.done.Earlier += earlier
		if v.Decision.String() == r.Verdict {
			t.done.Same++
			continue
		}
		t.group(f, v, r).Earlier += earlier
	}
}

// group adds a run to those that change for the same rules.
func (t *replaying) group(f *frozen.Frozen, v pathguard.Verdict, r recorded) *Changed {
	rules := deciding(v)
	var was pathguard.Decision
	if was.UnmarshalText([]byte(r.Verdict)) != nil || was < v.Decision { // it would be looser
		rules = r.Rules
		if now, err := t.now.judge(f); err == nil && now.Decision == was {
			rules = deciding(now)
		}
	}
	by := t.next.by(f, v.Decision)
	key := strings.Join(slices.Concat([]string{r.Verdict, v.Decision.String()}, rules, by), "\n")
	g := t.groups[key]
	if g == nil {
		g = &Changed{From: r.Verdict, To: v.Decision.String(), Rules: rules, By: by,
			Accepted: !slices.ContainsFunc(rules,
				func(rule string) bool { return !slices.Contains(t.Accept, rule) })}
		t.groups[key] = g
	}
	g.Count++
	text := cmp.Or(r.Inside, r.Command)
	g.Examples = append(g.Examples, Example{r.SID, r.time, r.Dir, text})
	slices.SortFunc(g.Examples, func(a, b Example) int { return b.Time.Compare(a.Time) })
	g.Examples = g.Examples[:min(len(g.Examples), mostExamples)]
	return g
}

// deciding are the rules by which a verdict is what it is.
func deciding(v pathguard.Verdict) (rules []string) {
	for _, r := range v.Reasons {
		if r.Decision == v.Decision && v.Decision != pathguard.Allow &&
			!slices.Contains(rules, r.Rule) {
			rules = append(rules, r.Rule)
		}
	}
	slices.Sort(rules)
	return rules
}

func (t *replaying) result() Replayed {
	for _, g := range t.groups {
		t.done.Changes = append(t.done.Changes, *g)
	}
	slices.SortFunc(t.done.Changes, func(a, b Changed) int {
		if a.Allows() != b.Allows() {
			return map[bool]int{true: -1, false: 1}[a.Allows()]
		}
		return cmp.Or(b.Count-a.Count, strings.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	for why, n := range t.skipped {
		t.done.Skipped = append(t.done.Skipped, Skipped{why, n})
	}
	slices.SortFunc(t.done.Skipped, func(a, b Skipped) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Why, b.Why))
	})
	return t.done
}
