package replay

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/plans"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/frozen"
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
	named := map[string]bool{}
	begun, unknown := false, false
	err = intents(rec, Options{}, func(r recorded) {
		switch {
		case r.time.Before(since):
			begun = true
		case r.Plan != "":
			named[r.Plan] = true
		default:
			unknown = unknown || r.Undoes == ""
		}
	})
	if err != nil || !begun || unknown {
		return u, false, err
	}
	fitted, asked := map[pathguard.Way]bool{}, map[string]bool{}
	for p := range plans.All(rec.Plans, rec.Codec) {
		if !named[p.Name] || p.Err != nil {
			continue
		}
		f, err := frozen.Thaw(p.Bytes)
		if err != nil {
			return u, false, nil // of another version: a rule may have been needed
		}
		for _, r := range rec.Policy.Fittings(f.Plan) {
			fitted[r.Way] = true
		}
		for plan := range f.Plan.All() {
			for _, r := range plan.Registries {
				asked[r.Name] = true
			}
		}
	}
	for _, r := range rec.Policy.Rules() {
		if r.Verdict == pathguard.Allow && !fitted[r.Way] {
			u.Rules = append(u.Rules, r)
		}
	}
	for _, name := range rec.Policy.Settings().Registries {
		if !asked[name] {
			u.Registries = append(u.Registries, name)
		}
	}
	u.Grants, err = rec.unusedGrants(ctx, since)
	return u, true, err
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
