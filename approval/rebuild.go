package approval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"

	"github.com/tada-run/tada-run/approval/plan"
	bolt "go.etcd.io/bbolt"
)

// A Rebuilt says what came out of the record.
type Rebuilt struct {
	Aside   string // where the damaged file lies now; "" when there was none
	Dead    int    // envelopes that stay used, denied or expired
	Expired int    // envelopes that were open: nobody can answer them any more
	Runs    int    // runs that never told their end
	Grants  int    // standing approvals that ended with this
}

// Rebuild makes the database at path anew from the events of the record, oldest first, and moves
// what lies there aside. It forgets in one direction only: what was used, denied or taken stays so,
// a run without an end is still [Store].Unfinished, a denied plan cools off; but open questions are
// expired, standing approvals ended, and the secret of one-time codes is gone, because the record
// does not hold what could permit. Events of the caller's record that are missing are missing here:
// verify the record first. An error of events is returned, and nothing is changed then.
func Rebuild(ctx context.Context, path string, o Options, events iter.Seq2[Event, error]) (Rebuilt, error) {
	o, err := o.withDefaults()
	if err != nil {
		return Rebuilt{}, err
	}
	h := newHistory()
	for e, err := range events {
		if err != nil {
			return Rebuilt{}, err
		}
		h.add(e)
	}
	b := &Bolt{path: path, o: o}
	lock, err := b.lock(ctx, true)
	if err != nil {
		return Rebuilt{}, err
	}
	defer lock.Close()
	var out Rebuilt
	fresh := path + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Rebuilt{}, fileError(fresh, err)
	}
	err = b.open(fresh, false, func(db *bolt.DB) error {
		return db.Update(func(btx *bolt.Tx) error {
			if err := b.schema(btx); err != nil {
				return err
			}
			t, err := b.begin(btx)
			if err == nil {
				out, err = t.restore(h)
			}
			return err
		})
	})
	if err != nil {
		return Rebuilt{}, err
	}
	// Aside first: a crash between the two leaves a database that is missing, which permits
	// nothing, and this can be done again.
	if err := b.markMade(lock); err != nil {
		return Rebuilt{}, err
	}
	aside := fmt.Sprintf("%s.damaged-%s", path, o.Clock().Now.UTC().Format("20060102T150405.000000000Z"))
	switch err := os.Rename(path, aside); {
	case err == nil:
		out.Aside = aside
	case !errors.Is(err, fs.ErrNotExist):
		return Rebuilt{}, fileError(path, err)
	}
	if err := os.Rename(fresh, path); err != nil {
		return Rebuilt{}, fileError(path, err)
	}
	return out, fileError(path, syncFolder(filepath.Dir(path)))
}

// A history is what a record says of each envelope.
type history struct {
	seq    uint64
	last   map[string]Event // envelope -> the event that says where it stands
	order  []string
	runs   map[string]Event // consumed and not finished
	tokens map[string]Event
	denied map[string]Event // plan hash -> the latest denial
	grants map[string]bool
}

func newHistory() *history {
	return &history{last: map[string]Event{}, runs: map[string]Event{}, tokens: map[string]Event{}, denied: map[string]Event{}, grants: map[string]bool{}}
}

func (h *history) add(e Event) {
	h.seq = max(h.seq, e.Seq)
	if e.Token != "" && e.Seq != 0 {
		h.tokens[e.Token] = e
	}
	switch e.Kind {
	case KindIssued, KindVoted, KindDecided, KindConsumed, KindRejected, KindExpired, KindCanary:
		if _, known := h.last[e.Envelope]; !known {
			h.order = append(h.order, e.Envelope)
		}
		// The dead stay dead, in whatever order a record tells of it.
		if old := h.last[e.Envelope]; old.To == "" || old.To == Pending {
			h.last[e.Envelope] = e
		}
		if e.Kind == KindConsumed && e.Outcome == OutcomeExecuted {
			h.runs[e.Envelope] = e
		}
		if e.Kind == KindRejected && e.Outcome == OutcomeDenied {
			h.denied[e.PlanHash] = e
		}
	case KindUndenied:
		maps.DeleteFunc(h.denied, func(_ string, denial Event) bool { return denial.Envelope == e.Envelope })
	case KindFinished:
		delete(h.runs, e.Envelope)
	case KindGranted:
		h.grants[e.Grant] = true
	case KindGrantRevoked, KindGrantSuspended:
		delete(h.grants, e.Grant)
	}
}

// restore writes what a history leaves over.
func (t *tx) restore(h *history) (Rebuilt, error) {
	var out Rebuilt
	if err := t.b.Bucket(outboxBucket).SetSequence(h.seq); err != nil {
		return out, err
	}
	for _, id := range h.order {
		e := h.last[id]
		state := e.To
		if state == "" || state == Pending {
			state = Expired
			out.Expired++
			ev := e
			ev.Kind, ev.Outcome, ev.From, ev.To, ev.Reason = KindExpired, OutcomeExpired, Pending, Expired, "the database was rebuilt"
			if err := t.emit(ev); err != nil {
				return out, err
			}
		} else {
			out.Dead++
		}
		if err := t.put(tombstoneBucket, id, plan.Fields{"since": plan.FormatTime(t.now.Now), "state": string(state)}); err != nil {
			return out, err
		}
	}
	out.Runs, out.Grants = len(h.runs), len(h.grants)
	return out, t.restoreNotes(h)
}

func (t *tx) restoreNotes(h *history) error {
	for id, e := range h.runs {
		if err := t.put(runBucket, id, plan.Fields{"runner": "", "since": plan.FormatTime(e.Time), "birth": map[string]any(e.fields())}); err != nil {
			return err
		}
	}
	for id, e := range h.tokens {
		err := t.put(tokenBucket, id, plan.Fields{"envelope_id": e.Envelope, "until": plan.FormatTime(e.Time.Add(MaxTokenLife))})
		if err != nil {
			return err
		}
	}
	for hash, e := range h.denied {
		at := stamp{at: e.Time} // boot time is not in the record, so the wall clock alone counts
		if !at.within(t.now, t.o.CoolOff, t.o.Skew) {
			continue
		}
		err := t.put(coolOffBucket, hash, plan.Fields{"boot": 0, "boot_id": "", "denied_at": plan.FormatTime(e.Time), "envelope_id": e.Envelope, "message": firstMessage(e.Calls)})
		if err != nil {
			return err
		}
	}
	return nil
}

// orphan returns the end of a run whose envelope only the record knows.
func (t *tx) orphan(id string, ev Event) (Event, bool) {
	f, err := t.get(runBucket, id)
	birth, ok := f["birth"].(map[string]any)
	if err != nil || !ok {
		return Event{}, false
	}
	old := readEvent(birth)
	old.Kind, old.Outcome, old.Reason, old.From, old.To = ev.Kind, ev.Outcome, ev.Reason, Consumed, Consumed
	return old, true
}
