package people

import (
	"context"
	"fmt"
	"slices"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// A Lie is what a machine has published as a question, and is none of its own. Nobody is asked it.
type Lie struct {
	Machine document.Machine
	What    string // it is
}

// Lies returns those of the members.
func (o Office) Lies(ctx context.Context) ([]Lie, error) {
	members, err := o.Members(ctx)
	if err != nil {
		return nil, err
	}
	got, err := o.Etcd.Get(ctx, keyspace.Questions, clientv3.WithPrefix())
	if err != nil {
		return nil, Reason(err)
	}
	var list []Lie
	for _, kv := range got.Kvs {
		parts := keyspace.Parts(string(kv.Key), keyspace.Questions, 2)
		i := slices.IndexFunc(members, func(m Member) bool {
			return parts != nil && m.ID == parts[0]
		})
		if i < 0 {
			continue // no machine may write there
		}
		what := ""
		switch q, err := approval.ReadQuestion(kv.Value); {
		case err != nil:
			what = fmt.Sprintf("no question: %v", err)
		case q.Audience != parts[0]:
			what = fmt.Sprintf("a question of machine %s", q.Audience)
		case q.Envelope != parts[1]:
			what = fmt.Sprintf("question %s under the name of another one", q.Envelope)
		default:
			continue
		}
		list = append(list, Lie{members[i].Machine, shown(what)})
	}
	return list, nil
}
