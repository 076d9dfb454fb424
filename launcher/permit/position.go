package permit

import (
	"context"
	"os"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
)

// The approval store and the record remember how far the other had come, so that an older copy of
// either does not give back what was used. What is compared before a change is only what the record
// got since the store's place in it, which moves on with each approval that is used and each seal.

// Compare returns nil when store and record know the same of each other, an error that wraps
// [approval.ErrBehind] when the store is an older copy, and an [audit.TamperError] when the record
// is. A store that was never made is compared too: the record may know that there was one.
func (p *Approvals) Compare(ctx context.Context) error {
	if err := p.Ready(); err != nil {
		return err
	}
	place, _, err := p.Store.Place(ctx)
	if err != nil {
		return err
	}
	recorded, err := p.recordedSince(place)
	if err != nil {
		return err
	}
	_, seq, err := p.Store.Place(ctx) // again: what the record has, the store had before
	if err == nil && recorded > seq {
		err = &approval.FileError{Path: p.dir.Approvals(), Err: approval.ErrBehind,
			Hint: "rebuild it from the record: tadactl approvals rebuild"}
	}
	return err
}

// StorePlace is the place that the store remembers, none when it cannot be read.
func (p *Approvals) StorePlace(ctx context.Context) []audit.Place {
	if !p.HasStore() || p.Ready() != nil {
		return nil
	}
	text, _, err := p.Store.Place(ctx)
	if err != nil {
		return nil
	}
	place, err := placeOf(text)
	if err != nil || place.Count == 0 {
		return nil
	}
	return []audit.Place{place}
}

// HasStore reports whether a question was ever asked: without a store none is made.
func (p *Approvals) HasStore() bool {
	_, err := os.Lstat(p.dir.Approvals())
	return err == nil || p.dir.Joined()
}

// MoveOn has the store remember that the record has come to a stored entry.
func (p *Approvals) MoveOn(e audit.Entry) error {
	if !p.HasStore() {
		return nil
	}
	if err := p.Ready(); err != nil {
		return err
	}
	ctx, cancel := StoreContext()
	defer cancel()
	return p.Store.MarkLogged(ctx, e.Place().String())
}

// CompareStore is [Approvals.Compare] where there is a store that can be read: a copy of the record
// alone can be verified without one, and what is wrong with a store that cannot be read, the verbs
// that need it say.
func (p *Approvals) CompareStore(ctx context.Context) error {
	if !p.HasStore() || p.Ready() != nil {
		return nil
	}
	return p.Compare(ctx)
}
