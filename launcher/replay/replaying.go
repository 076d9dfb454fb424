package replay

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/audit/plans"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/frozen"
)

// A Replayed is what recorded runs would be under another policy.
type Replayed struct {
	Runs    int        // that were judged again
	Plans   int        // of how many different plans
	Same    int        // runs with the verdict on record
	Changes []*Changed // what would be looser first, then by count
	Skipped []Skipped  // runs that cannot be judged again
	Earlier int        // runs whose record names another policy than the one in force
	Damaged []string   // files of plans that cannot be read, and why
}

// A Changed is a group of runs with another verdict: those for which the same rules decide.
type Changed struct {
	From     string    `json:"from"`
	To       string    `json:"to"`
	Rules    []string  `json:"rules"` // of the stricter verdict
	By       []string  `json:"by"`    // rules of the other configuration that have this verdict
	Count    int       `json:"count"`
	Earlier  int       `json:"earlier"`  // of them, those that Replayed.Earlier counts
	Examples []Example `json:"examples"` // the newest, at most three
	Accepted bool      `json:"accepted"` // every rule is one of Options.Accept
}

// Allows reports whether the runs of a group would no longer be asked about or denied.
func (c Changed) Allows() bool { return c.To == pathguard.Allow.String() }

// noRules is in place of the rules of a verdict that the record has without any.
const noRules = "unknown"

// example notes a run of a machine, if it is one of the newest.
func (c *Changed) example(r recorded, machine string) {
	c.Examples = append(c.Examples,
		Example{r.SID, r.time, r.Dir, cmp.Or(r.Inside, r.Command), machine})
	slices.SortStableFunc(c.Examples, func(a, b Example) int { return a.Time.Compare(b.Time) })
	c.Examples = c.Examples[max(0, len(c.Examples)-mostExamples):]
}

// An Example is one run of a group.
type Example struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Dir     string    `json:"cwd"`
	Command string    `json:"command"`
	Machine string    `json:"machine,omitempty"` // of a fleet
}

// A Skipped is why runs were not judged again, and how many.
type Skipped struct {
	Why   string `json:"why"`
	Count int    `json:"count"`
}

// mostExamples is how many runs of a group are named.
const mostExamples = 3

// Replay judges recorded runs under another configuration, by the plans on record. It neither reads
// what the plans name nor writes anything. It remembers some hundred bytes of each plan.
func (rec Record) Replay(o Options) (Replayed, error) {
	p := rec.Policy
	if o.Policy != nil {
		p = *o.Policy
	}
	t := replaying(o, Judge{Policy: p, Home: rec.Account.Home},
		Judge{Policy: rec.Policy, Home: rec.Account.Home})
	err := t.add(rec, plans.All(rec.Plans, rec.Codec), "")
	return t.Result(), err
}

// A Replaying is a replay that goes on, over one record or several.
type Replaying struct {
	Options
	next    Judge
	now     Judge // the policy in force; for bundles, what is built in
	skipped map[string]int
	changed map[string][]*Changed // by the name of the plan
	groups  map[string]*Changed
	done    Replayed
}

func replaying(o Options, next, now Judge) *Replaying {
	return &Replaying{Options: o, next: next, now: now, skipped: map[string]int{},
		changed: map[string][]*Changed{}, groups: map[string]*Changed{}}
}

// add judges the runs of a record again. machine is whose it is, for examples.
func (t *Replaying) add(log record.Entries, stored iter.Seq[plans.Plan], machine string) error {
	runs, err := tallyOf(log, t.Options)
	if err != nil {
		return err
	}
	clear(t.changed)
	lost := lostPlan
	for plan := range stored {
		if plan.DamagedPack() {
			lost, t.done.Damaged = damagedPack, append(t.done.Damaged, plan.Err.Error())
		}
		if of, ok := runs.plans[plan.Name]; ok {
			delete(runs.plans, plan.Name)
			t.plan(plan, of, runs.policies)
		}
	}
	for _, tallies := range runs.plans {
		t.skip(lost, tallies)
	}
	if runs.without > 0 {
		t.skipped[noPlan] += runs.without
	}
	if runs.calls > 0 {
		t.skipped[ownTool] += runs.calls
	}
	if runs.bad > 0 {
		t.skipped[badLine] += runs.bad
	}
	return t.examples(log, machine)
}

// Why a run has no plan to be judged.
const (
	noPlan = "without a plan on record: by an earlier version, too long, not a command, or with " +
		"the secret value of a variable"
	ownTool  = "a call of an agent's own tool, recorded without its plan by an earlier version"
	badLine  = "a line of the log is no entry, and may have been a run; see tadactl audit verify"
	lostPlan = "the plan is missing from the record; see tadactl audit verify"
	// where a pack is damaged
	damagedPack = "the plan may be in a damaged file of plans; see tadactl audit verify"
)

func (t *Replaying) skip(why string, runs []tally) {
	for _, r := range runs {
		t.skipped[why] += r.count
	}
}

// plan judges one plan again and compares it with what its runs were.
func (t *Replaying) plan(p plans.Plan, runs []tally, policies []string) {
	err := p.Err
	var f *frozen.Frozen
	if err == nil {
		f, err = frozen.Thaw(p.Bytes)
	}
	var v pathguard.Verdict
	if err == nil {
		v, err = t.next.Verdict(f)
	}
	if err != nil {
		if errors.Is(err, frozen.ErrOther) {
			err = ErrOtherVersion
		}
		t.skip(err.Error(), runs)
		return
	}
	t.done.Plans++
	inForce := t.inForce(f)
	for _, r := range runs {
		earlier := 0
		if inForce != "" && policies[r.policy] != inForce {
			earlier = r.count
		}
		t.done.Runs += r.count
		t.done.Earlier += earlier
		if v.Decision == r.verdict {
			t.done.Same += r.count
			continue
		}
		g := t.group(f, v, r)
		g.Count += r.count
		g.Earlier += earlier
		t.changed[p.Name] = append(t.changed[p.Name], g)
	}
}

// inForce is the digest of the policy in force for a plan; "" if that is not known.
func (t *Replaying) inForce(f *frozen.Frozen) string {
	if t.now.bundle != nil {
		return ""
	}
	p, _ := t.now.at(f)
	return p.Digest()
}

// group returns the runs that change in this way for the same rules.
func (t *Replaying) group(f *frozen.Frozen, v pathguard.Verdict, r tally) *Changed {
	was, rules := r.verdict, v.Deciding()
	if was < v.Decision {
		rules = r.rules
		if now, err := t.now.Verdict(f); err == nil && now.Decision == was {
			rules = now.Deciding()
		}
	}
	if len(rules) == 0 {
		rules = []string{noRules}
	}
	by := t.next.by(f, v.Decision)
	key := fmt.Sprint(was, v.Decision, rules, by)
	g := t.groups[key]
	if g == nil {
		g = &Changed{From: was.String(), To: v.Decision.String(), Rules: rules, By: by,
			Accepted: !slices.ContainsFunc(rules,
				func(rule string) bool { return !slices.Contains(t.Accept, rule) })}
		t.groups[key] = g
	}
	return g
}

// examples names the newest runs of each group.
func (t *Replaying) examples(log record.Entries, machine string) error {
	if len(t.changed) == 0 {
		return nil
	}
	_, err := judged(log, t.Options, func(r recorded) {
		for _, g := range t.changed[r.Plan] {
			if g.From == r.Verdict {
				g.example(r, machine)
			}
		}
	})
	return err
}

// Result returns what was found. It is called once, at the end.
func (t *Replaying) Result() Replayed {
	for _, g := range t.groups {
		t.done.Changes = append(t.done.Changes, g)
	}
	sortChanges(t.done.Changes)
	t.done.Skipped = skippedBy(t.skipped)
	return t.done
}

// skippedBy lists reasons, the one of most runs first.
func skippedBy(reasons map[string]int) (list []Skipped) {
	for why, n := range reasons {
		list = append(list, Skipped{why, n})
	}
	slices.SortFunc(list, func(a, b Skipped) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Why, b.Why))
	})
	return list
}

// sortChanges puts first what would be allowed, then what concerns more runs.
func sortChanges(list []*Changed) {
	slices.SortFunc(list, func(a, b *Changed) int {
		if a.Allows() != b.Allows() {
			return map[bool]int{true: -1, false: 1}[a.Allows()]
		}
		return cmp.Or(b.Count-a.Count, strings.Compare(a.From+a.To, b.From+b.To),
			slices.Compare(a.Rules, b.Rules), slices.Compare(a.By, b.By))
	})
}
