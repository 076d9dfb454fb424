package approval

import (
	"context"

	"github.com/tada-run/tada-run/approval/plan"
)

// The store and the record remember each other. Every event has its Seq from a counter in the
// database, and the record has the event; the database has a place in the record. A copy of the
// database that is put back has a counter that lags behind the record, and a record that is put
// back lacks the place. Comparing them costs reading what the record got since that place.

// placeKey is where the place is kept, in metaBucket, sealed.
const placeKey = "record"

func (t *tx) place() (string, error) {
	f, err := t.get(metaBucket, placeKey)
	return f.Text("place"), err
}

func (t *tx) setPlace(place string) error {
	return t.put(metaBucket, placeKey, plan.Fields{"place": place})
}

func (t *tx) seq() uint64 {
	if t.b == nil || t.b.Bucket(outboxBucket) == nil {
		return 0
	}
	return t.b.Bucket(outboxBucket).Sequence()
}

// compare refuses to change a database that is older than the record. It is asked under the lock,
// so no other process can have gone on meanwhile, and the record has no event that the database did
// not have before.
func (t *tx) compare() error {
	if t.o.Record == nil {
		return nil
	}
	place, err := t.place()
	if err != nil {
		return &FileError{Path: t.b.DB().Path(), Err: ErrCorrupt, Hint: "its position in the record was changed; " + startAfresh}
	}
	seq, err := t.o.Record(place)
	if err != nil {
		return err
	}
	if seq > t.seq() {
		return &FileError{Path: t.b.DB().Path(), Err: ErrBehind, Hint: startAfresh}
	}
	return nil
}

// Place implements [Store].
func (b *Bolt) Place(ctx context.Context) (place string, seq uint64, err error) {
	err = b.view(ctx, func(t *tx) error {
		place, err = t.place()
		seq = t.seq()
		return err
	})
	return place, seq, err
}

// Follow implements [Store].
func (b *Bolt) Follow(ctx context.Context, place string) error {
	lock, err := b.lock(ctx, true)
	if err != nil {
		return err
	}
	defer lock.Close()
	return b.writeAfter(lock, func(*tx) error { return nil }, func(t *tx) error { return t.setPlace(place) })
}
