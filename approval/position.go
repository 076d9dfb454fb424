package approval

import (
	"fmt"

	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/private"
)

// The store and the record remember each other. Every event has a Seq from a counter in the
// database, and the record has the event; the database stores a place in the record. If an older
// copy of the database is put back, its counter lags behind the record; if an older record is put
// back, it lacks the place. Comparing them costs reading what was added to the record since that
// place.

// placeKey is the key of the place, in MetaBucket, sealed.
const placeKey = "record"

func (t *tx) place() (string, error) {
	f, err := t.get(MetaBucket, placeKey)
	return f.Text("place"), err
}

func (t *tx) setPlace(place string) error {
	return t.put(MetaBucket, placeKey, plan.Fields{"place": place})
}

func (t *tx) seq() uint64 {
	if t.db == nil {
		return 0
	}
	return t.db.Seq()
}

// MovedKey is the key, in MetaBucket, of the name of the database to which everything was moved.
const MovedKey = "moved"

// moved refuses a database whose content is elsewhere.
func (t *tx) moved() error {
	if to := t.raw(MetaBucket, MovedKey); to != nil {
		return &FileError{Path: t.path, Err: ErrMoved, Hint: fmt.Sprintf("to %q", to)}
	}
	return nil
}

// compare refuses to change a database that was moved, or is older than the record. It runs under
// the lock, so no other process can add to either in the meantime, and the database always gets an
// event before the record does. Without a lock (package etcd), what it returns counts only if no
// other process did.
func (t *tx) compare() error {
	if err := t.moved(); err != nil || t.o.Record == nil {
		return err
	}
	place, err := t.place()
	if err != nil {
		return &FileError{Path: t.path, Err: ErrCorrupt,
			Hint: "its position in the record was changed; " + private.Rebuild}
	}
	seq, err := t.o.Record(place)
	if err != nil {
		return err
	}
	if seq > t.seq() {
		return &FileError{Path: t.path, Err: ErrBehind, Hint: private.Rebuild}
	}
	return nil
}
