package people

import (
	"context"
	"fmt"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
	"github.com/tada-run/tada-run/integration/fleet/pages"
)

// A Policy is a bundle of the fleet: what is in force, and what is tried to replace it.
type Policy struct {
	Name  string
	Force document.Bundle // the zero Bundle if none is in force
	Tried document.Bundle // the zero Bundle if none is tried
	// machines may have one in force that no administrator of today has signed: what it says is not
	// known here
	Lapsed bool

	version int64            // the highest in etcd, whoever signed it
	at      map[string]int64 // the revisions of the keys that it was read from
}

// Policies returns the bundles of the fleet, in the order of their names. What no administrator has
// signed is left out.
func (o Office) Policies(ctx context.Context) ([]Policy, error) {
	fleet, err := o.Fleet(ctx)
	if err != nil {
		return nil, err
	}
	return o.policies(ctx, fleet, keyspace.Bundles)
}

func (o Office) policies(ctx context.Context, fleet document.Fleet, prefix string) ([]Policy,
	error) {
	var list []Policy
	_, err := pages.Each(ctx, o.Etcd, prefix, func(kv *mvccpb.KeyValue) (string, error) {
		parts := keyspace.Parts(string(kv.Key), keyspace.Bundles, 2)
		if parts == nil {
			return "", nil
		}
		if len(list) == 0 || list[len(list)-1].Name != parts[0] {
			list = append(list, Policy{Name: parts[0], at: map[string]int64{}})
		}
		p := &list[len(list)-1]
		p.at[string(kv.Key)] = kv.ModRevision
		p.version = max(p.version, document.VersionOf(kv.Value))
		b, err := fleet.Bundle(kv.Value)
		if err == nil && b.Name == p.Name && string(b.Stage) == parts[1] {
			p.take(b)
		} else if parts[1] == string(document.Force) {
			p.Lapsed = true
		}
		return "", nil
	})
	return list, Reason(err)
}

// take notes a bundle. Keys come in order, what is in force first.
func (p *Policy) take(b document.Bundle) {
	switch {
	case b.Stage == document.Force:
		p.Force = b
	case b.Version > p.Force.Version:
		p.Tried = b
	}
}

// Policy returns the bundle of a name; the error is for a name that no bundle has, or of etcd.
func (o Office) Policy(ctx context.Context, name string) (Policy, error) {
	fleet, err := o.Fleet(ctx)
	if err != nil {
		return Policy{}, err
	}
	p, err := o.policy(ctx, fleet, name)
	if err == nil && p.version == 0 {
		err = noBundle(name)
	}
	return p, err
}

// noBundle is the error for a name that no bundle has.
func noBundle(name string) error {
	return fmt.Errorf("no bundle has the name %q; type: tadactl fleet policy list", name)
}

func (o Office) policy(ctx context.Context, fleet document.Fleet, name string) (Policy, error) {
	if err := document.CheckBundle(name); err != nil {
		return Policy{}, err
	}
	list, err := o.policies(ctx, fleet, keyspace.Below(keyspace.Bundles, name))
	if err != nil || len(list) == 0 {
		return Policy{Name: name}, err
	}
	return list[0], nil
}

// keyOf is where a bundle is.
func keyOf(name string, s document.Stage) string {
	return keyspace.Below(keyspace.Bundles, name) + string(s)
}

// Push has machines try a text beside the policy in force. It returns the bundle, with its version.
func (o Office) Push(ctx context.Context, key approval.Key, name string,
	machines document.Selector, text string) (document.Bundle, error) {
	fleet, err := o.Fleet(ctx)
	if err != nil {
		return document.Bundle{}, err
	}
	p, err := o.policy(ctx, fleet, name)
	if err != nil {
		return document.Bundle{}, err
	}
	if strings.TrimSpace(text) == "" {
		return document.Bundle{}, fmt.Errorf("the text is empty; to end a bundle: tadactl fleet "+
			"policy withdraw %s", name)
	}
	return o.put(ctx, key, fleet, p, document.Bundle{Name: name, Version: p.version + 1,
		Stage: document.Shadow, Machines: machines, Text: text})
}

// Withdraw ends a bundle, on every machine. It returns its last version. how.Version is the one in
// force that was looked at.
func (o Office) Withdraw(ctx context.Context, key approval.Key, name string,
	how Change) (document.Bundle, error) {
	fleet, err := o.Fleet(ctx)
	if err != nil {
		return document.Bundle{}, err
	}
	p, err := o.policy(ctx, fleet, name)
	if err != nil {
		return document.Bundle{}, err
	}
	if p.version == 0 {
		return document.Bundle{}, noBundle(name)
	}
	if how.Version != p.Force.Version {
		return p.Force, ErrRace
	}
	return o.put(ctx, key, fleet, p, document.Bundle{Name: name, Version: p.version + 1,
		Stage: document.Force, Machines: document.Everywhere(), Ungated: how.Ungated})
}

// put signs a bundle and stores it, if the bundle before it is still the one that was read. One
// that is in force ends the trial.
func (o Office) put(ctx context.Context, key approval.Key, fleet document.Fleet, before Policy,
	b document.Bundle) (document.Bundle, error) {
	b.Fleet, b.By = fleet.Name, []string{key.Name}
	text, err := b.Sign(key)
	if err != nil {
		return b, err
	}
	if _, err := fleet.Bundle(text); err != nil {
		return b, fmt.Errorf("%q is not an administrator of this fleet: %w", key.Name, err)
	}
	var same []clientv3.Cmp
	for _, s := range []document.Stage{document.Force, document.Shadow} {
		k := keyOf(b.Name, s)
		same = append(same, clientv3.Compare(clientv3.ModRevision(k), "=", before.at[k]))
	}
	then := []clientv3.Op{clientv3.OpPut(keyOf(b.Name, b.Stage), string(text))}
	if b.Stage == document.Force {
		then = append(then, clientv3.OpDelete(keyOf(b.Name, document.Shadow)))
	}
	done, err := o.Etcd.Txn(ctx).If(same...).Then(then...).Commit()
	if err != nil {
		return b, Reason(err)
	}
	if !done.Succeeded {
		return b, ErrRace
	}
	return b, nil
}
