package approval

import (
	"time"

	"github.com/tada-run/tada-run/approval/plan"
)

// prune removes what ended more than Options.Retention ago.
func (t *tx) prune() error {
	for _, id := range t.keys(stateBucket) {
		f, err := t.get(stateBucket, id)
		dead := err == nil && State(f.Text("state")) != Pending
		if !dead || t.raw(runBucket, id) != nil || !t.older(f.Time("since"), t.o.Retention) {
			continue
		}
		if err := t.remove(id, f); err != nil {
			return err
		}
	}
	for _, forget := range []func() error{t.forgetGrants, t.forgetHours, t.forget} {
		if err := forget(); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes one ended envelope and leaves a tombstone.
func (t *tx) remove(id string, state plan.Fields) error {
	err := t.put(tombstoneBucket, id,
		plan.Fields{"state": state.Text("state"), "since": state.Text("since")})
	if err != nil {
		return err
	}
	if e, _ := t.load(id); e != nil {
		if key := planKey(e.Session, e.PlanHash); string(t.raw(planBucket, key)) == id {
			err = t.delete(planBucket, key)
		}
		if err == nil {
			err = t.delete(nonceBucket, nonceHash(e.nonce))
		}
		if err != nil {
			return err
		}
	}
	for _, bucket := range []Bucket{envelopeBucket, payloadBucket, decisionBucket, pendingBucket,
		stateBucket, voteBucket, wrongBucket} {
		if err := t.delete(bucket, id); err != nil {
			return err
		}
	}
	return nil
}

// forget removes tombstones and cool-offs whose time is over.
func (t *tx) forget() error {
	for _, old := range []struct {
		bucket Bucket
		field  string
		keep   time.Duration
	}{{tombstoneBucket, "since", t.o.Tombstone}, {coolOffBucket, "denied_at", t.o.CoolOff},
		{tokenBucket, "until", t.o.Skew}} {
		for _, key := range t.keys(old.bucket) {
			f, err := t.get(old.bucket, key)
			if err == nil && t.older(f.Time(old.field), old.keep) {
				if err := t.delete(old.bucket, key); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// forgetGrants removes grants that ended more than Options.Retention ago.
func (t *tx) forgetGrants() error {
	for _, id := range t.keys(grantBucket) {
		g, err := t.loadGrant(id)
		if err != nil || g.Lasting && g.Ended == "" || !t.older(g.Expires, t.o.Retention) {
			continue
		}
		if key := planKey(g.Session, g.Template); string(t.raw(grantIndexBucket, key)) == id {
			if err := t.delete(grantIndexBucket, key); err != nil {
				return err
			}
		}
		for _, bucket := range []Bucket{grantBucket, grantUseBucket} {
			if err := t.delete(bucket, id); err != nil {
				return err
			}
		}
	}
	return nil
}
