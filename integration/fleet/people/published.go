package people

import (
	"context"
	"fmt"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
	"github.com/tada-run/tada-run/integration/fleet/pages"
)

// A published is what a member has published as a question, and under which id.
type published struct {
	by       Member
	envelope string
	text     []byte
	rest     bool // there is more than a machine can have, from here on
}

// What is read of one machine: the approvals of one have no more open questions.
const (
	maxOpen  = 200
	maxBytes = 16 << 20
)

// published returns what etcd has of some members. What another one wrote, none could have.
func (o Office) published(ctx context.Context, members []Member) (list []published, err error) {
	known := map[string]Member{}
	for _, m := range members {
		known[m.ID] = m
	}
	var last string
	var count, bytes int
	_, err = pages.Each(ctx, o.Etcd, keyspace.Questions,
		func(kv *mvccpb.KeyValue) (string, error) {
			id, envelope, ok := strings.Cut(strings.TrimPrefix(string(kv.Key),
				keyspace.Questions), "/")
			m, member := known[id]
			if !ok || !member {
				return after(id), nil
			}
			if id != last {
				last, count, bytes = id, 0, 0
			}
			count, bytes = count+1, bytes+len(kv.Key)+len(kv.Value)
			if count > maxOpen || bytes > maxBytes {
				list = append(list, published{by: m, rest: true})
				return after(id), nil
			}
			list = append(list, published{by: m, envelope: envelope, text: kv.Value})
			return "", nil
		})
	return list, Reason(err)
}

// after is the key behind all questions of a machine.
func after(id string) string {
	return clientv3.GetPrefixRangeEnd(keyspace.Below(keyspace.Questions, id))
}

// question reads what was published as a question. what says what it is if it is none of the
// machine that published it; "" if it is one.
func (p published) question() (q approval.Question, what string) {
	if p.rest {
		return q, fmt.Sprintf("more than %d questions, or %d MB of them, of which the others are "+
			"not shown", maxOpen, maxBytes>>20)
	}
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
