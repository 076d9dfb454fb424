package registrar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// Prepare stores the newest fleet document that was seen, if there is none, and turns the access
// control of etcd on. It may be called again. It refuses an etcd that has another fleet.
func (r *Registrar) Prepare(ctx context.Context) error {
	text, err := r.folder.Newest()
	if err != nil {
		return err
	}
	first, err := document.FirstFleet(text)
	if err != nil {
		return err
	}
	_, err = r.etcd.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(keyspace.Fleet), "=", 0)).
		Then(clientv3.OpPut(keyspace.Fleet, string(text))).Commit()
	if err != nil {
		return fmt.Errorf("etcd at %q: %w", r.endpoints, err)
	}
	if err := r.succeed(ctx); err != nil {
		return err
	}
	now, err := r.fleet(ctx)
	if err != nil {
		return err
	}
	if now.refused != nil || !now.Registrar.Key.Equal(r.folder.own.Public()) {
		return errors.Join(fmt.Errorf("etcd at %q has another fleet than %q of %q", r.endpoints,
			first.Name, r.folder.path), now.refused)
	}
	return prepareAuth(ctx, r.etcd)
}

// succeed goes on with the next key, if the fleet document names it: it lets in all machines that
// were members until then. A registrar that dies meanwhile begins again.
func (r *Registrar) succeed(ctx context.Context) error {
	next, err := r.folder.next()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	r.joining <- struct{}{} // nobody is let in with the key of before
	defer func() { <-r.joining }()
	fleet, err := r.fleet(ctx)
	if err != nil || !fleet.Registrar.Key.Equal(next.Public()) {
		return err
	}
	got, err := r.etcd.Get(ctx, keyspace.Machines, clientv3.WithPrefix())
	if err != nil {
		return err
	}
	n := 0
	for _, kv := range got.Kvs {
		m, err := fleet.Former(kv.Value)
		if err != nil || string(kv.Key) != keyspace.Machines+m.ID {
			continue // revoked, or let in with the new key already
		}
		record, err := m.Sign(next)
		if err == nil {
			err = r.replace(ctx, kv.ModRevision, string(kv.Key), record)
		}
		if err != nil {
			return err
		}
		n++
	}
	fmt.Fprintf(r.out, "tada-fleet: the key of the registrar is now %s; members let in again: %d\n",
		approval.KeyID(next.Public()), n)
	return r.folder.promote(next)
}

// replace stores a record in place of the one that was read.
func (r *Registrar) replace(ctx context.Context, at int64, key string, record []byte) error {
	done, err := r.etcd.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(key), "=", at)).
		Then(clientv3.OpPut(key, string(record))).Commit()
	if err == nil && !done.Succeeded {
		err = fmt.Errorf("%q was changed at the same time", key)
	}
	return err
}
