package people

import (
	"context"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// A Member is a machine and what it last said of itself.
type Member struct {
	document.Machine
	Revoked   bool
	Connected bool
	Agent     string    // where its agent says it runs, while it is connected
	Seen      time.Time // zero for never
	Head      string    // of its record, when it was seen: SIZE:HASH
	Policies  []Standing
	Refuses   []Refusal
	Unshipped string   // why its record is not shipped, as it says; "" if it is
	Replays   []string // answers that somebody gave it again, or for something else
}

// A Refusal is a machine whose log another one does not cosign: it was cut or rewritten.
type Refusal struct{ Machine, Why string }

// Members returns every machine whose record the registrar has signed, in order of their names as
// etcd has them.
func (o Office) Members(ctx context.Context) ([]Member, error) {
	f, err := o.Fleet(ctx)
	if err != nil {
		return nil, err
	}
	got, err := o.Etcd.Get(ctx, keyspace.Machines, clientv3.WithPrefix())
	if err != nil {
		return nil, Reason(err)
	}
	places, err := o.below(ctx, keyspace.Agents, "/place")
	if err != nil {
		return nil, err
	}
	said, err := o.below(ctx, keyspace.Seen, "/said")
	if err != nil {
		return nil, err
	}
	var list []Member
	for _, kv := range got.Kvs {
		m, err := f.Machine(kv.Value)
		if m.ID == "" {
			continue // nobody of this fleet let it in
		}
		one := Member{Machine: m, Revoked: err != nil}
		if place, ok := places[m.ID]; ok {
			one.Connected, one.Agent = true, shown(string(place))
		}
		if v, err := canonical.Parse(said[m.ID]); err == nil {
			f := plan.AsFields(v)
			one.Seen, one.Head = f.Time("time"), shown(f.Text("head"))
			one.Policies = readStandings(f)
			for _, r := range f.Objects("refused") {
				one.Refuses = append(one.Refuses, Refusal{r.Text("machine"), shown(r.Text("why"))})
			}
			for _, r := range f.Objects("record") {
				one.Unshipped = shown(r.Text("why"))
			}
			for _, r := range f.Objects("replays") {
				one.Replays = append(one.Replays, shown(r.Text("why")))
			}
		}
		list = append(list, one)
	}
	return list, nil
}

// below returns the values of the keys PREFIX ID SUFFIX, by id.
func (o Office) below(ctx context.Context, prefix, suffix string) (map[string][]byte, error) {
	got, err := o.Etcd.Get(ctx, prefix, clientv3.WithPrefix())
	if err != nil {
		return nil, Reason(err)
	}
	found := map[string][]byte{}
	for _, kv := range got.Kvs {
		if id, ok := strings.CutSuffix(strings.TrimPrefix(string(kv.Key), prefix), suffix); ok {
			found[id] = kv.Value
		}
	}
	return found, nil
}
