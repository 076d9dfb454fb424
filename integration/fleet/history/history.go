// Package history finds the way from the fleet document that somebody knows to the newest one.
//
// A document counts if an administrator of the known one has signed it. Whoever was away while the
// administrators changed knows none of those who sign now, and one administrator cannot change the
// registrar. So each document that changes these stays in etcd, and leads from the one before to
// all that follow.
package history

import (
	"context"
	"errors"
	"fmt"
	"iter"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// maxSteps is how many documents are looked at: more than the administrators ever change.
const maxSteps = 256

// A Way leads from the known document to the newest.
type Way struct {
	Fleet    document.Fleet // the newest that follows; the known one if none does
	Texts    [][]byte       // in this order each follows the one before; the last is of Fleet
	Found    []byte         // the document in etcd; nil if there is none
	Revision int64          // which last changed that; 0 if there is none
	Refused  error          // why the document in etcd does not follow; nil if it does
}

// ErrNone is the reason where etcd has no fleet document.
var ErrNone = errors.New("etcd has no fleet; try: tadactl fleet serve")

// Newest returns the way to the document that etcd has. Documents that do not follow are no error.
func Newest(ctx context.Context, c *clientv3.Client, known document.Fleet) (Way, error) {
	w := Way{Fleet: known}
	got, err := c.Get(ctx, keyspace.Fleet)
	if err != nil {
		return w, err
	}
	if len(got.Kvs) == 0 {
		w.Refused = ErrNone
		return w, nil
	}
	w.Revision = got.Kvs[0].ModRevision
	newest := got.Kvs[0].Value
	w.Found = newest
	if w.Refused = w.step(newest); errors.Is(w.Refused, document.ErrUnsigned) {
		if err := w.walk(ctx, c); err != nil {
			return w, err
		}
		w.Refused = w.step(newest)
	}
	return w, nil
}

// step goes on to a document, if it follows.
func (w *Way) step(text []byte) error {
	next, err := w.Fleet.Follows(text)
	if err == nil {
		w.Fleet, w.Texts = next, append(w.Texts, text)
	}
	return err
}

// walk goes on through the documents that have changed the administrators or the registrar.
func (w *Way) walk(ctx context.Context, c *clientv3.Client) error {
	for text, err := range Since(ctx, c, w.Fleet.Serial) {
		if err != nil {
			return err
		}
		_ = w.step(text) // one that does not follow is not on the way
	}
	return nil
}

// Since returns the documents after a serial that have changed the administrators or the registrar,
// as they stand in etcd: whoever takes one checks that it follows. An error is the last.
func Since(ctx context.Context, c *clientv3.Client, serial int64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		from := keyOf(serial + 1)
		for range maxSteps {
			got, err := c.Get(ctx, from, clientv3.WithLimit(1),
				clientv3.WithRange(clientv3.GetPrefixRangeEnd(keyspace.Past)))
			if err != nil {
				yield(nil, err)
				return
			}
			if len(got.Kvs) == 0 || !yield(got.Kvs[0].Value, nil) {
				return
			}
			from = string(got.Kvs[0].Key) + "\x00"
		}
	}
}

// keyOf is where a document stays: in order of the serials.
func keyOf(serial int64) string { return fmt.Sprintf("%s%016x", keyspace.Past, serial) }

// Store returns what stores the document that follows another one.
func Store(known, next document.Fleet, text []byte) []clientv3.Op {
	all := []clientv3.Op{clientv3.OpPut(keyspace.Fleet, string(text))}
	if known.LeadsTo(next) {
		all = append(all, clientv3.OpPut(keyOf(next.Serial), string(text)))
	}
	return all
}
