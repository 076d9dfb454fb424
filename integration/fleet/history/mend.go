package history

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// maxBack is how many values that were in etcd before are looked at.
const maxBack = 16

// Newest is the text of w.Fleet; known is that of the document with which the way began.
func (w Way) Newest(known []byte) []byte {
	if len(w.Texts) == 0 {
		return known
	}
	return w.Texts[len(w.Texts)-1]
}

// Lost reports whether the document in etcd, which was refused, can be replaced by the newest one
// without a look of a person: it is gone, is no document, is an older one of the same fleet, or
// etcd still has all that stood there since the newest one. What follows among that is taken, so
// that the way may be longer then.
func (w *Way) Lost(ctx context.Context, c *clientv3.Client, known []byte) (bool, error) {
	if w.Refused == nil {
		return false, nil
	}
	if name, _, err := document.Claims(w.Found); err == nil && name != w.Fleet.Name {
		return false, nil
	}
	since, all, err := w.since(ctx, c, w.Newest(known))
	if err != nil {
		return false, err
	}
	if all {
		for _, text := range slices.Backward(since) {
			_ = w.step(text) // one that does not follow is not on the way
		}
		return true, nil
	}
	_, serial, err := document.Claims(w.Found)
	return err != nil || serial < w.Fleet.Serial, nil
}

// since returns what stood in etcd since the newest document, the last first; all is false if etcd
// does not know any more.
func (w *Way) since(ctx context.Context, c *clientv3.Client, newest []byte) (list [][]byte,
	all bool, err error) {
	at := w.Revision - 1
	for range maxBack {
		if at <= 0 {
			break
		}
		got, err := c.Get(ctx, keyspace.Fleet, clientv3.WithRev(at))
		if errors.Is(err, rpctypes.ErrCompacted) || err == nil && len(got.Kvs) == 0 {
			break
		}
		if err != nil {
			return nil, false, err
		}
		if bytes.Equal(got.Kvs[0].Value, newest) {
			return list, true, nil
		}
		list, at = append(list, got.Kvs[0].Value), got.Kvs[0].ModRevision-1
	}
	return nil, false, nil
}

// PutBack stores the newest document in place of the one that the way found. It reports false if
// that was replaced meanwhile.
func (w Way) PutBack(ctx context.Context, c *clientv3.Client, newest []byte) (bool, error) {
	done, err := c.Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(keyspace.Fleet), "=", w.Revision)).
		Then(clientv3.OpPut(keyspace.Fleet, string(newest))).Commit()
	return err == nil && done.Succeeded, err
}
