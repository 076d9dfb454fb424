package approval

import (
	"crypto/hmac"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
)

func (t *tx) grant(r GrantRequest, e *entry) (Grant, error) {
	if !hmac.Equal([]byte(r.PlanHash), []byte(e.PlanHash)) {
		return Grant{}, e.refuse(OutcomeMismatch, ErrMismatch)
	}
	if e.Decision == nil || !e.Decision.approvesAll() {
		return Grant{}, e.refuse(OutcomeDenied, ErrPending)
	}
	payload, why := r.granted(e.Payload)
	if len(why) > 0 {
		refused := e.refuse(OutcomeDenied, ErrNotGrantable)
		refused.Message = strings.Join(why, "; ")
		return Grant{}, refused
	}
	session := e.Session
	if r.Choice != 0 {
		session = AnySession
	}
	template, err := plan.Template(payload)
	if err != nil {
		return Grant{}, err
	}
	bits, err := t.newUUID()
	if err != nil {
		return Grant{}, err
	}
	at := t.now.stamp()
	id := formatUUID(bits)
	if plan.Lasting(payload) {
		opens := plan.Opens(payload)
		if err := t.endGrants(KindGrantRevoked, "another one took its place", func(g Grant) bool {
			return g.Lasting && g.Session == session && (g.Template == template || opens)
		}); err != nil {
			return Grant{}, err
		}
	}
	for _, err := range []error{
		t.put(grantBucket, id, plan.Fields{
			"approver": r.Approver, "boot": int64(at.boot), "boot_id": at.bootID,
			"channel": r.Channel, "envelope_id": e.ID,
			"expires_at": plan.FormatTime(at.at.Add(r.For)), "issued_at": plan.FormatTime(at.at),
			"plan":    string(payload),
			"session": session, "template": template, "uses": r.Uses, "work_item_id": e.WorkItem,
		}),
		t.put(grantUseBucket, id, plan.Fields{"used": 0, "ended": ""}),
		t.putRaw(grantIndexBucket, planKey(session, template), []byte(id)),
	} {
		if err != nil {
			return Grant{}, err
		}
	}
	g, err := t.loadGrant(id)
	if err != nil {
		return Grant{}, err
	}
	return g, t.emit(g.event(Event{Kind: KindGranted, Outcome: OutcomeApproved,
		Approver: r.Approver, Channel: r.Channel}))
}

func (g Grant) event(ev Event) Event {
	ev.Grant, ev.Envelope, ev.Session, ev.WorkItem, ev.PlanHash = g.ID, g.Envelope, g.Session,
		g.WorkItem, plan.Hash(g.Payload)
	return ev
}

// loadGrant returns the zero Grant if there is none.
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
		ID:      id, Envelope: f.Text("envelope_id"), Session: f.Text("session"),
		WorkItem: f.Text("work_item_id"), Template: f.Text("template"),
		Issued: f.Time("issued_at"), Expires: f.Time("expires_at"), Uses: int(f.Number("uses")),
		Used:  int(use.Number("used")),
		Ended: use.Text("ended"), Approver: f.Text("approver"), Channel: f.Text("channel"),
		Payload: payload,
		givenBoot: stamp{at: f.Time("issued_at"), boot: time.Duration(f.Number("boot")),
			bootID: f.Text("boot_id")},
	}, nil
}

// usable reports whether a grant can be used now.
func (t *tx) usable(g Grant) bool {
	if g.Lasting {
		return g.ID != "" && g.Ended == ""
	}
	return g.ID != "" && g.Ended == "" && g.Used < g.Uses &&
		g.givenBoot.within(t.now, g.Expires.Sub(g.Issued), t.o.Skew)
}

// useGrant returns the zero Grant if no valid one exists.
func (t *tx) useGrant(session, template, planHash string) (Grant, error) {
	g, err := t.loadGrant(string(t.raw(grantIndexBucket, planKey(session, template))))
	if err != nil || !t.usable(g) || g.Session != session ||
		!hmac.Equal([]byte(g.Template), []byte(template)) {
		return Grant{}, nil
	}
	g.Used++
	if err := t.put(grantUseBucket, g.ID, plan.Fields{"used": g.Used, "ended": ""}); err != nil {
		return Grant{}, err
	}
	return g, t.emit(g.event(Event{Kind: KindGrantUsed, Outcome: OutcomeApproved,
		Computed: planHash, Reason: g.Authority(t.now.Now)}))
}

// endGrants ends the valid grants that which selects. A grant that cannot be read is useless
// anyway.
func (t *tx) endGrants(kind, reason string, which func(Grant) bool) error {
	for _, id := range t.keys(grantBucket) {
		g, err := t.loadGrant(id)
		if err != nil || !t.usable(g) || !which(g) {
			continue
		}
		if err := t.put(grantUseBucket, id,
			plan.Fields{"used": g.Used, "ended": kind + ": " + reason}); err != nil {
			return err
		}
		ev := g.event(Event{Kind: kind, Outcome: OutcomeDenied, Reason: reason})
		if err := t.emit(ev); err != nil {
			return err
		}
	}
	return nil
}
