package launcher

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
func (l *Launcher) Compare(ctx context.Context) error {
	if err := l.ready(); err != nil {
		return err
	}
	place, _, err := l.store.Place(ctx)
	if err != nil {
		return err
	}
	recorded, err := l.recordedSince(place)
	if err != nil {
		return err
	}
	_, seq, err := l.store.Place(ctx) // again: what the record has, the store had before
	if err == nil && recorded > seq {
		err = &approval.FileError{Path: l.state.Approvals(), Err: approval.ErrBehind, Hint: "rebuild it from the record: tadactl approvals rebuild"}
	}
	return err
}

// storePlace is the place that the store remembers, none when it cannot be read.
func (l *Launcher) storePlace(ctx context.Context) []audit.Place {
	if !l.hasStore() || l.ready() != nil {
		return nil
	}
	text, _, err := l.store.Place(ctx)
	if err != nil {
		return nil
	}
	place, err := placeOf(text)
	if err != nil || place.Count == 0 {
		return nil
	}
	return []audit.Place{place}
}

// hasStore reports whether anybody was ever asked: without a store none is made.
func (l *Launcher) hasStore() bool {
	_, err := os.Lstat(l.state.Approvals())
	return err == nil
}

// moveOn has the store remember that the record has come to a stored entry.
func (l *Launcher) moveOn(e audit.Entry) error {
	if !l.hasStore() {
		return nil
	}
	if err := l.ready(); err != nil {
		return err
	}
	ctx, cancel := storeContext()
	defer cancel()
	return l.store.MarkLogged(ctx, e.Place().String())
}

// CompareStore is [Launcher.Compare] where there is a store that can be read: a copy of the record
// alone can be verified without one, and what is wrong with a store that cannot be read, the verbs
// that need it say.
func (l *Launcher) CompareStore(ctx context.Context) error {
	if !l.hasStore() || l.ready() != nil {
		return nil
	}
	return l.Compare(ctx)
}
