package approval

import (
	"cmp"
	"context"
	"crypto/hmac"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
)

// Grant makes an approved and unused question a standing approval. It refuses with
// ErrNotGrantable what [Grantable] gives a reason for, and with ErrPending what is not
// approved as a whole.
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
	return g, events, err
}

// settle fills in what was left open, and refuses what is too much.
func (r *GrantRequest) settle() error {
	if r.For == 0 {
		r.For = defaultGrantTime
	}
	if r.Uses == 0 {
		r.Uses = defaultGrantUses
	}
	if r.For < 0 || r.For > MaxGrantTime {
		return &ConfigError{Name: "time of a grant", Value: r.For.String(), Need: "it must be at most " + MaxGrantTime.String()}
	}
	if r.Uses < 0 || r.Uses > MaxGrantUses {
		return &ConfigError{Name: "number of uses", Value: strconv.Itoa(r.Uses), Need: "it must be at most " + strconv.Itoa(MaxGrantUses)}
	}
	return nil
}

// MayStand returns nil when a decision on this question may become the grant that r asks for, else
// why not: asked before anything is stored, so that an answer is taken whole or not at all.
func (e Envelope) MayStand(d Decision, r GrantRequest) error {
	if err := r.settle(); err != nil {
		return err
	}
	why := Grantable(e.Payload)
	switch {
	case e.Quorum > 1:
		why = append(why, "it needs several people, so it can be approved only once")
	case !d.approvesAll():
		why = append(why, "one of its calls is denied")
	}
	if len(why) > 0 {
		return &Refused{Envelope: e.ID, Outcome: OutcomeDenied, Err: &wayOf{ErrNotGrantable, strings.Join(why, "; ")}, Message: strings.Join(why, "; ")}
	}
	return nil
}

func (t *tx) grant(r GrantRequest, e *entry) (Grant, error) {
	if !hmac.Equal([]byte(r.PlanHash), []byte(e.PlanHash)) {
		return Grant{}, e.refuse(OutcomeMismatch, ErrMismatch)
	}
	if e.Decision == nil || !e.Decision.approvesAll() {
		return Grant{}, e.refuse(OutcomeDenied, ErrPending)
	}
	if why := Grantable(e.Payload); len(why) > 0 {
		refused := e.refuse(OutcomeDenied, ErrNotGrantable)
		refused.Message = strings.Join(why, "; ")
		return Grant{}, refused
	}
	template, err := plan.Template(e.Payload)
	if err != nil {
		return Grant{}, err
	}
	bits, err := t.newUUID()
	if err != nil {
		return Grant{}, err
	}
	at := t.now.stamp()
	id := formatUUID(bits)
	if plan.Lasting(e.Payload) {
		if err := t.endGrants(KindGrantRevoked, "another one took its place", func(g Grant) bool { return g.Lasting && g.Session == e.Session }); err != nil {
			return Grant{}, err
		}
	}
	for _, err := range []error{
		t.put(grantBucket, id, plan.Fields{
			"approver": r.Approver, "boot": int64(at.boot), "boot_id": at.bootID, "channel": r.Channel, "envelope_id": e.ID,
			"expires_at": plan.FormatTime(at.at.Add(r.For)), "issued_at": plan.FormatTime(at.at), "plan": string(e.Payload),
			"session": e.Session, "template": template, "uses": r.Uses, "work_item_id": e.WorkItem,
		}),
		t.put(grantUseBucket, id, plan.Fields{"used": 0, "ended": ""}),
		t.putRaw(grantIndexBucket, planKey(e.Session, template), []byte(id)),
	} {
		if err != nil {
			return Grant{}, err
		}
	}
	g, err := t.loadGrant(id)
	if err != nil {
		return Grant{}, err
	}
	return g, t.emit(g.event(Event{Kind: KindGranted, Outcome: OutcomeApproved, Approver: r.Approver, Channel: r.Channel}))
}

func (g Grant) event(ev Event) Event {
	ev.Grant, ev.Envelope, ev.Session, ev.WorkItem, ev.PlanHash = g.ID, g.Envelope, g.Session, g.WorkItem, plan.Hash(g.Payload)
	return ev
}

// loadGrant returns the zero Grant when there is none.
func (t *tx) loadGrant(id string) (Grant, error) {
	f, err := t.get(grantBucket, id)
	if err != nil {
		return Grant{}, err
	}
	use, err := t.get(grantUseBucket, id)
	if err != nil || f == nil || use == nil {
		return Grant{}, err
	}
	payload := []byte(f.Text("plan"))
	return Grant{
		Lasting: plan.Lasting(payload),
		ID:      id, Envelope: f.Text("envelope_id"), Session: f.Text("session"), WorkItem: f.Text("work_item_id"), Template: f.Text("template"),
		Issued: f.Time("issued_at"), Expires: f.Time("expires_at"), Uses: int(f.Number("uses")), Used: int(use.Number("used")),
		Ended: use.Text("ended"), Approver: f.Text("approver"), Channel: f.Text("channel"), Payload: payload,
		givenBoot: stamp{at: f.Time("issued_at"), boot: time.Duration(f.Number("boot")), bootID: f.Text("boot_id")},
	}, nil
}

// usable reports whether a grant can be used now.
func (t *tx) usable(g Grant) bool {
	if g.Lasting {
		return g.ID != "" && g.Ended == ""
	}
	return g.ID != "" && g.Ended == "" && g.Used < g.Uses && g.givenBoot.within(t.now, g.Expires.Sub(g.Issued), t.o.Skew)
}

// UseGrant spends one use of the standing approval for this plan in this session. It refuses
// with ErrNoGrant when there is none that lives. Count, both clocks and plan are checked in the
// transaction that counts.
func (s *Store) UseGrant(ctx context.Context, session string, payload []byte) (Grant, []Event, error) {
	none := &Refused{Outcome: OutcomeUnknown, Err: ErrNoGrant}
	template, err := plan.Template(payload)
	if err != nil {
		return Grant{}, nil, err
	}
	if len(Grantable(payload)) > 0 { // the rules may have become stricter since it was given
		return Grant{}, nil, none
	}
	var g Grant
	var events []Event
	found := false
	// Most plans have none, and looking is cheaper than a transaction that writes.
	err = s.view(ctx, func(t *tx) error {
		g, err := t.loadGrant(string(t.raw(grantIndexBucket, planKey(session, template))))
		found = err == nil && t.usable(g)
		return nil
	})
	if err != nil {
		return Grant{}, nil, err
	}
	if found {
		err = s.update(ctx, func(t *tx) error {
			g, err = t.useGrant(session, template, plan.Hash(payload))
			events = t.events
			return err
		})
	}
	if err != nil {
		return Grant{}, nil, err
	}
	if g.ID == "" {
		return Grant{}, nil, none
	}
	return g, events, nil
}

// useGrant returns the zero Grant when none lives.
func (t *tx) useGrant(session, template, planHash string) (Grant, error) {
	g, err := t.loadGrant(string(t.raw(grantIndexBucket, planKey(session, template))))
	if err != nil || !t.usable(g) || g.Session != session || !hmac.Equal([]byte(g.Template), []byte(template)) {
		return Grant{}, nil
	}
	g.Used++
	if err := t.put(grantUseBucket, g.ID, plan.Fields{"used": g.Used, "ended": ""}); err != nil {
		return Grant{}, err
	}
	return g, t.emit(g.event(Event{Kind: KindGrantUsed, Outcome: OutcomeApproved, Computed: planHash, Reason: g.Authority(t.now.Now)}))
}

// Grants returns the standing approvals that can be used now, oldest first.
func (s *Store) Grants(ctx context.Context) ([]Grant, error) {
	var out []Grant
	err := s.view(ctx, func(t *tx) error {
		for _, id := range t.keys(grantBucket) {
			if g, err := t.loadGrant(id); err == nil && t.usable(g) {
				out = append(out, g)
			}
		}
		return nil
	})
	slices.SortFunc(out, func(a, b Grant) int { return cmp.Or(a.Issued.Compare(b.Issued), cmp.Compare(a.ID, b.ID)) })
	return out, err
}

// Revoke ends one standing approval.
func (s *Store) Revoke(ctx context.Context, id, reason string) ([]Event, error) {
	return s.endGrants(ctx, KindGrantRevoked, reason, func(g Grant) bool { return g.ID == id })
}

// Suspend ends all standing approvals of a session, as every denial in it does.
func (s *Store) Suspend(ctx context.Context, session, reason string) ([]Event, error) {
	return s.endGrants(ctx, KindGrantSuspended, reason, func(g Grant) bool { return g.Session == session })
}

func (s *Store) endGrants(ctx context.Context, kind, reason string, which func(Grant) bool) ([]Event, error) {
	var events []Event
	err := s.update(ctx, func(t *tx) error {
		err := t.endGrants(kind, reason, which)
		events = t.events
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(events) == 0 && kind == KindGrantRevoked {
		return nil, &Refused{Outcome: OutcomeUnknown, Err: ErrNoGrant}
	}
	return events, nil
}

// endGrants ends the living grants that which chooses. A grant that cannot be read is of no use
// anyway.
func (t *tx) endGrants(kind, reason string, which func(Grant) bool) error {
	for _, id := range t.keys(grantBucket) {
		g, err := t.loadGrant(id)
		if err != nil || !t.usable(g) || !which(g) {
			continue
		}
		if err := t.put(grantUseBucket, id, plan.Fields{"used": g.Used, "ended": kind + ": " + reason}); err != nil {
			return err
		}
		if err := t.emit(g.event(Event{Kind: kind, Outcome: OutcomeDenied, Reason: reason})); err != nil {
			return err
		}
	}
	return nil
}

// forgetGrants removes grants that have been over for Options.Retention.
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
