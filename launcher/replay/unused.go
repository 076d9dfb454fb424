package replay

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/plans"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/frozen"
	"github.com/tada-run/tada-run/pathguard/pathname"
)

// Unneeded is what is allowed and no run has needed since some time.
type Unneeded struct {
	Rules      []pathguard.Fitting // that allow
	Grants     []approval.Grant    // that were given before
	Registries []string            // that the configuration allows
}

// Unneeded finds what no run since a time has needed. ok is false if the record does not go back as
// far, or has no plan of a run since: then nothing can be said.
func (rec Record) Unneeded(ctx context.Context, since time.Time) (u Unneeded, ok bool, err error) {
	r, err := rec.recent(since, "")
	if err != nil || !r.known {
		return u, false, err
	}
	needed, err := rec.neededBy(r, rec.Policy)
	if err != nil {
		return u, false, nil // of another version: a rule may have been needed
	}
	for _, r := range rec.Policy.Rules() {
		if r.Verdict == pathguard.Allow && !needed.rules[r.Way] {
			u.Rules = append(u.Rules, r)
		}
	}
	for _, name := range rec.Policy.Settings().Registries {
		if !needed.registries[name] {
			u.Registries = append(u.Registries, name)
		}
	}
	u.Grants, err = rec.unusedGrants(ctx, since)
	return u, true, err
}

// recent are the runs since a time in a directory.
type recent struct {
	runs  map[string]bool // by id
	plans map[string]bool // by name
	known bool            // the record goes back as far, and has a plan of each
}

func (rec Record) recent(since time.Time, dir string) (r recent, err error) {
	r.runs, r.plans = map[string]bool{}, map[string]bool{}
	begun, unknown, dir := false, false, past.Recorded(dir)
	_, err = judged(rec, Options{}, func(i recorded) {
		begun = begun || i.time.Before(since)
		if i.time.Before(since) || dir != "" && !pathname.Within(i.Dir, dir) {
			return
		}
		switch {
		case i.Plan != "":
			r.plans[i.Plan] = true
		case i.Decision != "":
			unknown = unknown || i.isCall()
		default:
			unknown = unknown || i.Undoes == ""
		}
		if i.Decision == "" {
			r.runs[i.SID] = true
		}
	})
	r.known = begun && !unknown
	return r, err
}

// needed is what plans have needed of a policy.
type needed struct {
	rules      map[pathguard.Way]bool // that fit something in them
	registries map[string]bool
	localhost  bool
}

// neededBy fails with a plan of another version.
func (rec Record) neededBy(r recent, policy pathguard.Policy) (needed, error) {
	n := needed{rules: map[pathguard.Way]bool{}, registries: map[string]bool{}}
	for f, err := range rec.thawed(r) {
		if err != nil {
			return n, err
		}
		for _, r := range policy.Fittings(f.Plan) {
			n.rules[r.Way] = true
		}
		for plan := range f.Plan.All() {
			for _, r := range plan.Registries {
				n.registries[r.Name] = true
			}
			n.localhost = n.localhost || pathguard.NamesLocalhost(plan)
		}
	}
	return n, nil
}

// thawed are the plans of runs, each once, as far as they can be read.
func (rec Record) thawed(r recent) iter.Seq2[*frozen.Frozen, error] {
	return func(yield func(*frozen.Frozen, error) bool) {
		for p := range plans.All(rec.Plans, rec.Codec) {
			if !r.plans[p.Name] || p.Err != nil {
				continue
			}
			if f, err := frozen.Thaw(p.Bytes); !yield(f, err) {
				return
			}
		}
	}
}

// unusedGrants are the grants from before a time that no run has used since.
func (rec Record) unusedGrants(ctx context.Context, since time.Time) ([]approval.Grant, error) {
	var list []approval.Grant
	if !rec.Approvals.HasStore() {
		return list, nil
	}
	grants, err := rec.Approvals.Grants(ctx)
	old := map[string]approval.Grant{}
	for _, g := range grants {
		if g.Issued.Before(since) {
			old[g.ID] = g
		}
	}
	if err != nil || len(old) == 0 {
		return list, err
	}
	for e, err := range rec.Entries(audit.Filter{Kinds: []string{approval.KindGrantUsed},
		Since: since}) {
		var body struct {
			Grant string `json:"grant_id"`
		}
		if err == nil && json.Unmarshal(e.Body, &body) == nil {
			delete(old, body.Grant)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(old)) {
		list = append(list, old[id])
	}
	return list, nil
}
