package bolt

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"

	"go.etcd.io/bbolt"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/private"
)

// Rebuild rebuilds the database at path from the events of the record, oldest first, and moves the
// existing file aside. See [approval.History] for what is lost. Events that the record lacks are
// missing here: verify the record first. If events returns an error, nothing is changed.
func Rebuild(ctx context.Context, path string, o approval.Options,
	events iter.Seq2[approval.Event, error]) (out approval.Rebuilt, err error) {
	h, err := approval.ReadHistory(events)
	if err != nil {
		return out, err
	}
	b := File(path, o)
	lock, err := b.lock(ctx, true)
	if err != nil {
		return out, err
	}
	defer lock.Close()
	fresh := path + newSuffix
	err = b.create(fresh, func(btx *bbolt.Tx) error {
		out, err = h.Restore(&tx{b: btx}, path, o)
		return err
	})
	if err != nil {
		return approval.Rebuilt{}, err
	}
	// Aside first: a crash between the two leaves a missing database, which permits nothing, and
	// Rebuild can be run again.
	if err := b.markMade(lock); err != nil {
		return approval.Rebuilt{}, err
	}
	aside := path + ".damaged-" + o.Clock().Now.UTC().Format("20060102T150405.000000000Z")
	switch err := os.Rename(path, aside); {
	case err == nil:
		out.Aside = aside
	case !errors.Is(err, fs.ErrNotExist):
		return approval.Rebuilt{}, private.Named(path, err)
	}
	return out, b.publish(fresh)
}
