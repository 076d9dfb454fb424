package approval

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
)

// Request stores a question before anybody sees it and returns it with true. The same plan
// asked again in the same session, while pending, returns the envelope that is there with
// false; it may be answered already (see [Envelope.Approved]). It refuses with ErrDenied
// while the same plan cools off after a denial, and with ErrBusy when too many are open: the
// caller has to wait then, which is no denial.
func (s *Store) Request(ctx context.Context, r Request) (Envelope, bool, error) {
	if _, err := plan.Read(r.Payload); err != nil {
		return Envelope{}, false, err
	}
	if r.Quorum < 0 || r.Quorum > MaxQuorum {
		return Envelope{}, false, &ConfigError{Name: "quorum", Value: strconv.Itoa(r.Quorum), Need: "it must be 0 to " + strconv.Itoa(MaxQuorum)}
	}
	done, err := s.do(ctx, "request", plan.Fields{
		"canary": r.Canary, "payload": string(r.Payload), "quorum": r.Quorum, "requester": r.Requester, "through": r.Through, "session": r.Session, "ttl": int64(r.TTL),
		"budget": r.Budget, "person": r.Person,
	})
	if err != nil {
		return Envelope{}, false, err
	}
	return done.e.Envelope, done.created, nil
}

func (t *tx) requestTask(k task) (result, error) {
	r := Request{Session: k.args.Text("session"), Payload: []byte(k.args.Text("payload")), TTL: time.Duration(k.args.Number("ttl")),
		Quorum: int(k.args.Number("quorum")), Requester: k.args.Text("requester"), Canary: k.args.Flag("canary"), Budget: cmp.Or(k.args.Text("budget"), k.args.Text("session")), Person: k.args.Flag("person"), Through: k.args.Text("through")}
	p, err := plan.Read(r.Payload)
	if err == nil {
		err = t.sweep()
	}
	if err != nil {
		return result{}, err
	}
	var done result
	done.e, done.created, err = t.request(r, p)
	return done, err
}

func (t *tx) request(r Request, p plan.Plan) (*entry, bool, error) {
	hash := plan.Hash(r.Payload)
	if err := t.coolingOff(r, p, hash); err != nil {
		return nil, false, err
	}
	if id := t.raw(planBucket, planKey(r.Session, hash)); id != nil {
		e, err := t.load(string(id))
		if err != nil && e == nil {
			return nil, false, err
		}
		if e != nil && err == nil && e.State == Pending && e.Quorum >= r.Quorum && e.canary == r.Canary {
			return e, false, nil
		}
	}
	if err := t.room(r); err != nil {
		return nil, false, err
	}
	if err := t.spend(r); err != nil {
		return nil, false, err
	}
	ttl := t.o.TTL
	if r.TTL > 0 && r.TTL < ttl {
		ttl = r.TTL
	}
	e, err := t.create(r, p, ttl)
	if err != nil {
		return nil, false, err
	}
	if t.open != nil && !r.Person {
		t.open[r.Budget]++
	}
	if r.Canary {
		return e, true, nil // the record tells of it when it was answered: before, it could be looked up
	}
	ev := e.event(Event{Kind: KindIssued})
	ev.From = ""
	return e, true, t.emit(ev)
}

// room reports whether one more question may be open: of those who ask, and of the account. More
// are not denied, they have to wait, and what is open stays open: a question that a flood could
// push out would be one that nobody answers.
func (t *tx) room(r Request) error {
	if r.Person {
		return nil
	}
	mine, all := t.openFor(r.Budget)
	switch {
	case mine >= t.o.MaxPending:
		return &Refused{Err: ErrBusy}
	case all >= t.o.MaxOpen:
		return &Refused{Err: ErrFull}
	}
	return nil
}

// spend counts one more question against the hour of those who ask. Who asks all day long is not
// answered with thought any more. A count that was changed is as good as used up.
func (t *tx) spend(r Request) error {
	if r.Canary || r.Person {
		return nil
	}
	key := hourPrefix + planKey(r.Budget, "")
	busy := &Refused{Err: ErrBusy, Until: t.now.Now.Add(time.Hour)}
	f, err := t.get(healthBucket, key)
	if err != nil {
		return busy
	}
	var asked []any
	for _, v := range f.List("asked") {
		ms, _ := v.(int64)
		if at := time.UnixMilli(ms); t.now.Now.Sub(at) < time.Hour && at.Sub(t.now.Now) < time.Hour {
			asked = append(asked, ms)
		}
	}
	if len(asked) >= t.o.MaxHour {
		first, _ := asked[0].(int64)
		busy.Until = time.UnixMilli(first).Add(time.Hour).UTC()
		return busy
	}
	return t.put(healthBucket, key, plan.Fields{"asked": append(asked, t.now.Now.UnixMilli())})
}

// hourPrefix begins the keys under which sessions are counted.
const hourPrefix = "hour "

// forgetHours removes counts of which the hour is over.
func (t *tx) forgetHours() error {
	for _, key := range t.keys(healthBucket) {
		f, err := t.get(healthBucket, key)
		asked := f.List("asked")
		if err != nil || len(asked) == 0 || !strings.HasPrefix(key, hourPrefix) {
			continue
		}
		if last, _ := asked[len(asked)-1].(int64); t.older(time.UnixMilli(last), time.Hour) {
			if err := t.delete(healthBucket, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// coolingOff refuses a plan that was denied a short while ago, in whatever session it is asked
// again: a person who said no once must not be worn down.
func (t *tx) coolingOff(r Request, p plan.Plan, hash string) error {
	f, until, err := t.denied(hash)
	if err != nil || f == nil {
		return err
	}
	return &Refused{
		Envelope: f.Text("envelope_id"),
		Outcome:  OutcomeDenied,
		Message:  f.Text("message"),
		Instead:  f.Text("instead"),
		Until:    until,
		Err:      ErrDenied,
		Events: []Event{{Time: t.now.Now.UTC(), Kind: KindRefused, Envelope: f.Text("envelope_id"), WorkItem: p.WorkItem,
			Session: r.Session, PlanHash: hash, From: Rejected, To: Rejected, Outcome: OutcomeDenied, Computed: hash}},
	}
}

// denied is what is kept of a denial under key, and until when; nil when it is none, or long ago.
func (t *tx) denied(key string) (plan.Fields, time.Time, error) {
	f, err := t.get(coolOffBucket, key)
	if err != nil {
		return nil, time.Time{}, &Refused{Outcome: OutcomeTampered, Err: ErrTampered}
	}
	at := stamp{at: f.Time("denied_at"), boot: time.Duration(f.Number("boot")), bootID: f.Text("boot_id")}
	if f == nil || !at.within(t.now, t.o.CoolOff, t.o.Skew) {
		return nil, time.Time{}, nil
	}
	return f, at.at.Add(t.o.CoolOff), nil
}

// openFor counts the pending envelopes of one budget and of all. One count serves the whole
// transaction, because nothing in it that ends an envelope comes before a request but the sweep.
func (t *tx) openFor(budget string) (mine, all int) {
	if t.open == nil {
		t.open = map[string]int{}
		for _, id := range t.keys(pendingBucket) {
			if f, err := t.get(envelopeBucket, id); err == nil && !f.Flag("person") {
				t.open[cmp.Or(f.Text("budget"), f.Text("session"))]++
			}
		}
	}
	for _, n := range t.open {
		all += n
	}
	return t.open[budget], all
}

// Get returns one envelope, dead ones included until they are pruned. Its State says what the
// clock says now, even when nothing has stored that yet.
func (s *Store) Get(ctx context.Context, id string) (Envelope, error) {
	var e *entry
	var refusal error
	err := s.view(ctx, func(t *tx) error {
		var err error
		if e, err = t.load(id); err != nil {
			refusal = &Refused{Envelope: id, Outcome: OutcomeTampered, Err: ErrTampered}
			return nil
		}
		if e == nil {
			refusal = t.unknown(id)
			return nil
		}
		if e.State == Pending && t.over(e) {
			e.State, e.Challenge = Expired, ""
		}
		return nil
	})
	if err == nil {
		err = refusal
	}
	if err != nil {
		return Envelope{}, err
	}
	return e.Envelope, nil
}

// Pending returns the envelopes that can still be decided or used, oldest first, without
// payload.
func (s *Store) Pending(ctx context.Context) ([]Envelope, error) {
	var out []Envelope
	err := s.view(ctx, func(t *tx) error {
		for _, id := range t.keys(pendingBucket) {
			e, err := t.load(id)
			if err != nil || e == nil || e.State != Pending || t.over(e) {
				continue
			}
			e.Payload = nil
			out = append(out, e.Envelope)
		}
		return nil
	})
	slices.SortFunc(out, older)
	return out, err
}

// Wait returns as soon as the envelope is decided or dead. It ends with ctx's error, and holds no
// lock while it waits.
func (s *Store) Wait(ctx context.Context, id string) (e Envelope, err error) {
	err = s.db.Await(ctx, id, func() (time.Duration, bool, error) {
		var err error
		e, err = s.Get(ctx, id)
		again := max(e.Expires.Sub(s.o.Clock().Now), 0) + time.Millisecond
		return again, e.State != Pending || e.Decision != nil, err
	})
	return e, err
}
