package registrar

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval/private"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
	"github.com/tada-run/tada-run/integration/fleet/pages"
	"github.com/tada-run/tada-run/launcher/state"
)

// keptDir has the orders that the registrar has seen: NAME.bundle is the newest in force, ID.freeze
// an order, ID.thaw its end. A machine that joins knows none, so it would take an older one from
// etcd, or none.
const keptDir = "orders"

// orders are those that count.
type orders struct {
	freezes map[string]string // by id
	ended   map[string]string
	bundles map[string]bundle // by name, withdrawn ones too
}

type bundle struct {
	document.Bundle
	text string
}

// orders returns what etcd has and what was seen before, and keeps what is new.
func (f *Folder) orders(ctx context.Context, etcd *clientv3.Client,
	fleet document.Fleet) (o orders, err error) {
	f.keeping.Lock()
	defer f.keeping.Unlock()
	o = orders{map[string]string{}, map[string]string{}, map[string]bundle{}}
	if err := f.kept(fleet, o); err != nil {
		return o, err
	}
	for _, prefix := range []string{keyspace.Freezes, keyspace.Thaws, keyspace.Bundles} {
		_, err := pages.Each(ctx, etcd, prefix, func(kv *mvccpb.KeyValue) (string, error) {
			name := o.take(fleet, string(kv.Value))
			if name == "" {
				return "", nil
			}
			return "", state.Replace(filepath.Join(f.path, keptDir, name), kv.Value)
		})
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// take takes an order that counts and is new, and returns the name of its file; "" for another one.
func (o orders) take(fleet document.Fleet, text string) string {
	if f, err := fleet.Freeze([]byte(text)); err == nil && o.freezes[f.ID] == "" {
		o.freezes[f.ID] = text
		return f.ID + ".freeze"
	}
	if t, err := fleet.Thaws([]byte(text)); err == nil && o.ended[t.ID] == "" {
		o.ended[t.ID] = text
		return t.ID + ".thaw"
	}
	b, err := fleet.Bundle([]byte(text))
	if err == nil && b.Stage == document.Force && b.Version > o.bundles[b.Name].Version {
		o.bundles[b.Name] = bundle{b, text}
		return b.Name + ".bundle"
	}
	return ""
}

// kept takes the orders that were seen before. One that does not count any more, because of who has
// signed it, is no error.
func (f *Folder) kept(fleet document.Fleet, o orders) error {
	dir := filepath.Join(f.path, keptDir)
	if err := state.PrivateDir(dir); err != nil {
		return err
	}
	list, err := os.ReadDir(dir)
	for _, e := range list {
		text, err := private.Read(filepath.Join(dir, e.Name()), document.MaxSize)
		if errors.Is(err, fs.ErrNotExist) || strings.HasPrefix(e.Name(), ".") {
			continue // left by a crash
		}
		if err != nil {
			return err
		}
		o.take(fleet, string(text))
	}
	return err
}
