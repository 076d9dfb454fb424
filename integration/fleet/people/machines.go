package people

import (
	"context"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
	"github.com/tada-run/tada-run/integration/fleet/pages"
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
	var list []Member
	var keys []string
	_, err = pages.Each(ctx, o.Etcd, keyspace.Machines, func(kv *mvccpb.KeyValue) (string, error) {
		m, err := f.Machine(kv.Value)
		if m.ID != "" { // else nobody of this fleet let it in
			list = append(list, Member{Machine: m, Revoked: err != nil})
			keys = append(keys, placeOf(m.ID), saidBy(m.ID))
		}
		return "", nil
	})
	if err != nil {
		return nil, Reason(err)
	}
	found, err := pages.Values(ctx, o.Etcd, keys)
	if err != nil {
		return nil, Reason(err)
	}
	for i := range list {
		one := &list[i]
		if place, ok := found[placeOf(one.ID)]; ok {
			one.Connected, one.Agent = true, shown(string(place))
		}
		one.says(found[saidBy(one.ID)])
	}
	return list, nil
}

func placeOf(id string) string { return keyspace.Below(keyspace.Agents, id) + keyspace.Place }

func saidBy(id string) string { return keyspace.Below(keyspace.Seen, id) + keyspace.Said }

// says takes what the machine says of itself.
func (m *Member) says(text []byte) {
	v, err := canonical.Parse(text)
	if err != nil {
		return
	}
	f := plan.AsFields(v)
	m.Seen, m.Head = f.Time("time"), shown(f.Text("head"))
	m.Policies = readStandings(f)
	for _, r := range f.Objects("refused") {
		m.Refuses = append(m.Refuses, Refusal{r.Text("machine"), shown(r.Text("why"))})
	}
	for _, r := range f.Objects("record") {
		m.Unshipped = shown(r.Text("why"))
	}
	for _, r := range f.Objects("replays") {
		m.Replays = append(m.Replays, shown(r.Text("why")))
	}
}
