package approval

import (
	"cmp"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
)

func (t *tx) requestTask(k task) (result, error) {
	r := Request{Session: k.args.Text("session"), Payload: []byte(k.args.Text("payload")),
		TTL:    time.Duration(k.args.Number("ttl")),
		Quorum: int(k.args.Number("quorum")), Requester: k.args.Text("requester"),
		Canary: k.args.Flag("canary"),
		Budget: cmp.Or(k.args.Text("budget"), k.args.Text("session")),
		Person: k.args.Flag("person"), Through: k.args.Text("through")}
	p, err := plan.Read(r.Payload)
	if err == nil {
		err = t.sweep()
	}
	if err != nil {
		return result{}, err
	}
	var done result
	done.e, done.created, err = t.request(r, p)
	done.again = err == nil && !done.created
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
		if e != nil && err == nil && e.State == Pending && e.Quorum >= r.Quorum &&
			e.canary == r.Canary {
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
		// a canary is recorded when it is answered: an earlier entry could be looked up
		return e, true, nil
	}
	ev := e.event(Event{Kind: KindIssued})
	ev.From = ""
	return e, true, t.emit(ev)
}

// room reports whether one more question may be open, for the requester and for the account.
// Further questions are not denied but have to wait, and open ones stay open: otherwise a flood
// could push out every question.
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

// spend counts one more question against the requester's hour. People stop reading if there are too
// many questions. A count that was changed is treated as used up.
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
		if at := time.UnixMilli(ms); t.now.Now.Sub(at) < time.Hour &&
			at.Sub(t.now.Now) < time.Hour {
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

// hourPrefix begins the keys under which the questions of a requester are counted.
const hourPrefix = "hour "

// forgetHours removes counts whose hour is over.
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

// openFor counts the pending envelopes of one budget and of all. It counts once per transaction:
// before a request, only the sweep can end an envelope in it.
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
