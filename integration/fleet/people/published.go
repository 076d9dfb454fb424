package people

import (
	"context"
	"fmt"
	"slices"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// A published is what a member has published as a question, and under which id.
type published struct {
	by       Member
	envelope string
	text     []byte
}

// published returns what etcd has of some members. What another one wrote, none could have.
func (o Office) published(ctx context.Context, members []Member) (list []published, err error) {
	got, err := o.Etcd.Get(ctx, keyspace.Questions, clientv3.WithPrefix())
	if err != nil {
		return nil, Reason(err)
	}
	for _, kv := range got.Kvs {
		parts := keyspace.Parts(string(kv.Key), keyspace.Questions, 2)
		i := slices.IndexFunc(members, func(m Member) bool {
			return parts != nil && m.ID == parts[0]
		})
		if i >= 0 {
			list = append(list, published{members[i], parts[1], kv.Value})
		}
	}
	return list, nil
}

// question reads what was published as a question. what says what it is if it is none of the
// machine that published it; "" if it is one.
func (p published) question() (q approval.Question, what string) {
	q, err := approval.ReadQuestion(p.text)
	switch {
	case err != nil:
		what = fmt.Sprintf("no question: %v", err)
	case q.Audience != p.by.ID:
		what = fmt.Sprintf("a question of machine %s", q.Audience)
	case q.Envelope != p.envelope:
		what = fmt.Sprintf("question %s under the name of another one", q.Envelope)
	}
	return q, what
}
