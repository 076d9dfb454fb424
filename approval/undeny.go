package approval

import (
	"context"
	"slices"
)

// Undeny takes a denial back that still keeps its plan from being asked again. The denied
// question stays denied and standing approvals that it ended stay ended; the plan can be asked
// again at once. It refuses with ErrUnknown where nothing cools off because of that question.
func (s *Store) Undeny(ctx context.Context, id, approver, channel string) ([]Event, error) {
	var events []Event
	var refusal error
	err := s.update(ctx, func(t *tx) error {
		cooling := t.coolingBy(id)
		if len(cooling) == 0 {
			refusal = &Refused{Envelope: id, Outcome: OutcomeUnknown, Err: ErrUnknown}
			return nil
		}
		for _, key := range cooling {
			if err := t.delete(coolOffBucket, key); err != nil {
				return err
			}
		}
		ev := Event{Kind: KindUndenied, Envelope: id, From: Rejected, To: Rejected, Approver: approver, Channel: channel}
		if e, _ := t.load(id); e != nil { // after a rebuild only the note is there
			ev = e.event(ev)
		}
		err := t.emit(ev)
		events = t.events
		return err
	})
	if err == nil {
		err = refusal
	}
	return events, err
}

// coolingBy returns the keys of what cools off because of the denial of id. A note of which the
// seal is broken is not among them: what cannot be read goes on denying.
func (t *tx) coolingBy(id string) (keys []string) {
	for _, key := range t.keys(coolOffBucket) {
		if f, _, err := t.denied(key); err == nil && f != nil && f.Text("envelope_id") == id {
			keys = append(keys, key)
		}
	}
	return keys
}

// Denied returns the questions whose denials keep their plans from being asked again, oldest
// first, without payload.
func (s *Store) Denied(ctx context.Context) ([]Envelope, error) {
	var out []Envelope
	err := s.view(ctx, func(t *tx) error {
		for _, key := range t.keys(coolOffBucket) {
			f, _, err := t.denied(key)
			if err != nil || f == nil {
				continue
			}
			e, err := t.load(f.Text("envelope_id"))
			if err != nil || e == nil || slices.ContainsFunc(out, func(other Envelope) bool { return other.ID == e.ID }) {
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
