package approval

import (
	"cmp"
	"context"
	"slices"

	"github.com/tada-run/tada-run/approval/plan"
)

// Grant turns an approved and unused question into a grant. It refuses with ErrNotGrantable a plan
// for which [Grantable] returns a reason, and with ErrPending a question that is not approved as a
// whole.
func (s *Store) Grant(ctx context.Context, r GrantRequest) (Grant, []Event, error) {
	if err := r.settle(); err != nil {
		return Grant{}, nil, err
	}
	var g Grant
	events, err := s.change(ctx, r.Envelope, func(t *tx, e *entry) error {
		var err error
		g, err = t.grant(r, e)
		return err
	})
	if err != nil {
		return Grant{}, nil, err // not what an earlier try returned
	}
	return g, events, nil
}

// UseGrant spends one use of the grant for this plan in this session. It refuses with ErrNoGrant if
// there is no valid one. Count, both clocks and plan are checked in the transaction that counts.
func (s *Store) UseGrant(ctx context.Context, session string,
	payload []byte) (Grant, []Event, error) {
	none := &Refused{Outcome: OutcomeUnknown, Err: ErrNoGrant}
	template, err := plan.Template(payload)
	if err != nil {
		return Grant{}, nil, err
	}
	if len(Grantable(payload)) > 0 { // the rules may have become stricter since
		return Grant{}, nil, none
	}
	found := false
	// Most plans have no grant, and looking is cheaper than a transaction that writes.
	err = s.view(ctx, func(t *tx) error {
		g, err := t.loadGrant(string(t.raw(grantIndexBucket, planKey(session, template))))
		found = err == nil && t.usable(g)
		return nil
	})
	if err != nil {
		return Grant{}, nil, err
	}
	if !found {
		return Grant{}, nil, none
	}
	var g Grant
	events, err := s.commit(ctx, func(t *tx) (_ *entry, err error) {
		g, err = t.useGrant(session, template, plan.Hash(payload))
		return nil, err
	})
	if err == nil && g.ID == "" {
		err = none
	}
	if err != nil {
		return Grant{}, nil, err
	}
	return g, events, nil
}

// Grants returns the grants that can be used now, oldest first.
func (s *Store) Grants(ctx context.Context) ([]Grant, error) {
	var out []Grant
	err := s.view(ctx, func(t *tx) error {
		out = nil
		for _, id := range t.keys(grantBucket) {
			if g, err := t.loadGrant(id); err == nil && t.usable(g) {
				out = append(out, g)
			}
		}
		return nil
	})
	slices.SortStableFunc(out, func(a, b Grant) int {
		return cmp.Or(a.Issued.Compare(b.Issued), cmp.Compare(a.ID, b.ID))
	})
	return out, err
}

// Revoke ends one grant.
func (s *Store) Revoke(ctx context.Context, id, reason string) ([]Event, error) {
	return s.endGrants(ctx, KindGrantRevoked, reason, func(g Grant) bool { return g.ID == id })
}

// Suspend ends all grants of a session, as every denial in it does.
func (s *Store) Suspend(ctx context.Context, session, reason string) ([]Event, error) {
	return s.endGrants(ctx, KindGrantSuspended, reason,
		func(g Grant) bool { return g.Session == session })
}

func (s *Store) endGrants(ctx context.Context, kind, reason string,
	which func(Grant) bool) ([]Event, error) {
	events, err := s.commit(ctx, func(t *tx) (*entry, error) {
		return nil, t.endGrants(kind, reason, which)
	})
	if err == nil && len(events) == 0 && kind == KindGrantRevoked {
		err = &Refused{Outcome: OutcomeUnknown, Err: ErrNoGrant}
	}
	return events, err
}
