// Package pages reads what is below a prefix in etcd a few values at a time. Those who may write
// there could store more than there is memory for, or more than one answer of etcd can have: then
// the rest could not be read.
package pages

import (
	"context"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// size is how many values are read at once: etcd stores none of more than 1.5 MB.
const size = 16

// Each calls do for what is below a prefix, in order, and returns of which revision the first of
// that is: what changes meanwhile may be in it, and changes from there on may come twice. It is not
// all of one revision, because some versions of etcd let every member have old ones forgotten. do
// returns the key at which to go on; "" for the next one.
func Each(ctx context.Context, c *clientv3.Client, prefix string,
	do func(kv *mvccpb.KeyValue) (next string, err error)) (rev int64, err error) {
	end := clientv3.GetPrefixRangeEnd(prefix)
	for from := prefix; ; {
		got, err := c.Get(ctx, from, clientv3.WithRange(end), clientv3.WithLimit(size))
		if err != nil {
			return 0, err
		}
		if rev == 0 {
			rev = got.Header.Revision
		}
		jumped := false
		for _, kv := range got.Kvs {
			if string(kv.Key) < from {
				continue // do has jumped over it
			}
			next, err := do(kv)
			if err != nil {
				return 0, err
			}
			from, jumped = string(kv.Key)+"\x00", false
			if next > from {
				from, jumped = next, true
			}
		}
		if !got.More && !jumped || from >= end {
			return rev, nil
		}
	}
}

// Values returns the values of keys that exist, by key.
func Values(ctx context.Context, c *clientv3.Client, keys []string) (map[string][]byte, error) {
	found := map[string][]byte{}
	for len(keys) > 0 {
		some := keys[:min(size, len(keys))]
		keys = keys[len(some):]
		var ops []clientv3.Op
		for _, k := range some {
			ops = append(ops, clientv3.OpGet(k))
		}
		got, err := c.Txn(ctx).Then(ops...).Commit()
		if err != nil {
			return nil, err
		}
		for _, r := range got.Responses {
			for _, kv := range r.GetResponseRange().Kvs {
				found[string(kv.Key)] = kv.Value
			}
		}
	}
	return found, nil
}
