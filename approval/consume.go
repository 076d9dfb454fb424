package approval

import (
	"context"
	"slices"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
)

// A Run is one use of an approval whose outcome is not recorded yet.
type Run struct {
	Envelope string
	Runner   string // as in the Claim
	Since    time.Time
}

// Consume spends an approval. In one transaction it checks state, both clocks, stored hash, the
// pairing of decisions and calls, and the presented plan, and changes the state. So exactly one of
// any number of concurrent claims gets the permit.
func (s *Store) Consume(ctx context.Context, c Claim) (Permit, error) {
	done, err := s.do(ctx, "consume", plan.Fields{
		"envelope": c.Envelope, "plan_hash": c.PlanHash, "runner": c.Runner, "session": c.Session,
	})
	if err != nil {
		return Permit{}, err
	}
	return Permit{Envelope: done.id, Calls: done.calls, Events: done.events}, nil
}

// Finish records the outcome of a consumed envelope's run. Finishing twice is an error.
func (s *Store) Finish(ctx context.Context, id, outcome, reason string) ([]Event, error) {
	done, err := s.do(ctx, "finish",
		plan.Fields{"envelope": id, "outcome": outcome, "reason": reason})
	return done.events, err
}

// Unfinished returns the runs that were permitted and have not been finished.
func (s *Store) Unfinished(ctx context.Context) ([]Run, error) {
	var out []Run
	err := s.view(ctx, func(t *tx) error {
		out = nil
		for _, id := range t.keys(runBucket) {
			f, err := t.get(runBucket, id)
			if err != nil {
				f = nil // a run whose note was changed is still a run
			}
			out = append(out, Run{Envelope: id, Runner: f.Text("runner"), Since: f.Time("since")})
		}
		return nil
	})
	slices.SortStableFunc(out, func(a, b Run) int { return a.Since.Compare(b.Since) })
	return out, err
}

// Unlogged returns, in order, the stored events that MarkLogged has not removed: those of a process
// that died after its change and before its log entry.
func (s *Store) Unlogged(ctx context.Context) ([]Event, error) {
	var out []Event
	err := s.view(ctx, func(t *tx) error {
		out = nil
		for _, key := range t.keys(OutboxBucket) {
			f, err := t.get(OutboxBucket, key)
			if err != nil {
				return &FileError{Path: t.path, Err: ErrCorrupt,
					Hint: "an event that waits for its record was changed"}
			}
			out = append(out, readEvent(f))
		}
		return nil
	})
	return out, err
}

// MarkLogged removes events that are now in the record. place is how far the record has come, in a
// form that the caller chooses; "" leaves the stored place unchanged. Of two places, the later one
// is the greater string.
func (s *Store) MarkLogged(ctx context.Context, place string, seqs ...uint64) error {
	if len(seqs) == 0 && place == "" {
		return nil
	}
	list := make([]any, 0, len(seqs))
	for _, seq := range seqs {
		list = append(list, seq)
	}
	_, err := s.do(ctx, "recorded", plan.Fields{"place": place, "seqs": list})
	return err
}

// Prune expires what is too old and removes what ended more than Options.Retention ago. A tombstone
// of each remains for Options.Tombstone, so that a replay is still reported as a replay.
func (s *Store) Prune(ctx context.Context) ([]Event, error) {
	return s.commit(ctx, func(t *tx) (*entry, error) {
		if err := t.sweep(); err != nil {
			return nil, err
		}
		return nil, t.prune()
	})
}
