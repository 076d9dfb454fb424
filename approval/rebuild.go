package approval

import (
	"iter"
	"maps"

	"github.com/tada-run/tada-run/approval/plan"
)

// A Rebuilt says what was restored from the record.
type Rebuilt struct {
	Aside   string // where the damaged file is now; "" if there was none
	Dead    int    // envelopes that stay used, denied or expired
	Expired int    // envelopes that were open: they cannot be answered any more
	Runs    int    // runs without a recorded end
	Grants  int    // grants that ended with this
}

// A History is what a record says about each envelope.
type History struct {
	seq    uint64
	last   map[string]Event // envelope -> the event that says its state
	order  []string
	runs   map[string]Event // consumed and not finished
	tokens map[string]Event
	denied map[string]Event // plan hash -> the latest denial
	grants map[string]bool
}

// ReadHistory reads the events of a record, oldest first. It returns the first error of events.
func ReadHistory(events iter.Seq2[Event, error]) (*History, error) {
	h := &History{
		last: map[string]Event{}, runs: map[string]Event{}, tokens: map[string]Event{},
		denied: map[string]Event{}, grants: map[string]bool{},
	}
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		h.add(e)
	}
	return h, nil
}

// Restore writes the state that follows from a history into an empty database at path. It forgets
// in one direction only: what was used, denied or taken stays so, a run without an end is still
// [Store].Unfinished, a denied plan cools off. But open questions are expired, grants ended, and
// the secret of one-time codes is gone, because the record does not contain anything that could
// permit.
func (h *History) Restore(tx Tx, path string, o Options) (Rebuilt, error) {
	o, err := o.withDefaults()
	if err != nil {
		return Rebuilt{}, err
	}
	return begin(tx, path, o).restore(h)
}

func (h *History) add(e Event) {
	h.seq = max(h.seq, e.Seq)
	if e.Token != "" && e.Seq != 0 {
		h.tokens[e.Token] = e
	}
	switch e.Kind {
	case KindIssued, KindVoted, KindDecided, KindConsumed, KindRejected, KindExpired, KindCanary:
		if _, known := h.last[e.Envelope]; !known {
			h.order = append(h.order, e.Envelope)
		}
		// What has ended stays ended, whatever the order of the events in a record.
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
		maps.DeleteFunc(h.denied, func(_ string, denial Event) bool {
			return denial.Envelope == e.Envelope
		})
	case KindFinished:
		delete(h.runs, e.Envelope)
	case KindGranted:
		h.grants[e.Grant] = true
	case KindGrantRevoked, KindGrantSuspended:
		delete(h.grants, e.Grant)
	}
}

// restore writes the state that follows from a history.
func (t *tx) restore(h *History) (Rebuilt, error) {
	var out Rebuilt
	if err := t.db.SetSeq(h.seq); err != nil {
		return out, err
	}
	for _, id := range h.order {
		e := h.last[id]
		state := e.To
		if state == "" || state == Pending {
			state = Expired
			out.Expired++
			ev := e
			ev.Kind, ev.Outcome, ev.From, ev.To, ev.Reason = KindExpired, OutcomeExpired, Pending,
				Expired, "the database was rebuilt"
			if err := t.emit(ev); err != nil {
				return out, err
			}
		} else {
			out.Dead++
		}
		if err := t.put(tombstoneBucket, id,
			plan.Fields{"since": plan.FormatTime(t.now.Now), "state": string(state)}); err != nil {
			return out, err
		}
	}
	out.Runs, out.Grants = len(h.runs), len(h.grants)
	return out, t.restoreNotes(h)
}

func (t *tx) restoreNotes(h *History) error {
	for id, e := range h.runs {
		if err := t.put(runBucket, id,
			plan.Fields{"runner": "", "since": plan.FormatTime(e.Time),
				"birth": map[string]any(e.fields())}); err != nil {
			return err
		}
	}
	for id, e := range h.tokens {
		err := t.put(tokenBucket, id,
			plan.Fields{"envelope_id": e.Envelope,
				"until": plan.FormatTime(e.Time.Add(MaxTokenLife))})
		if err != nil {
			return err
		}
	}
	for hash, e := range h.denied {
		at := stamp{at: e.Time} // boot time is not in the record, so the wall clock alone counts
		if !at.within(t.now, t.o.CoolOff, t.o.Skew) {
			continue
		}
		err := t.put(coolOffBucket, hash,
			plan.Fields{"boot": 0, "boot_id": "", "denied_at": plan.FormatTime(e.Time),
				"envelope_id": e.Envelope, "message": firstMessage(e.Calls)})
		if err != nil {
			return err
		}
	}
	return nil
}
