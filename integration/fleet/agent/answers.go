package agent

import (
	"context"
	"errors"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// outcomeLife is how long the person who answered can learn what became of it.
const outcomeLife = 24 * time.Hour

// takeAnswers hands each signed answer to the store, once.
func (a *Agent) takeAnswers(ctx context.Context) error {
	below := keyspace.Below(keyspace.Answers, a.own.ID)
	return a.each(ctx, below, func(key string, token []byte) error {
		parts := keyspace.Parts(key, below, 2)
		if parts == nil || len(token) > approval.MaxToken {
			_, err := a.Etcd.Delete(ctx, key)
			return err
		}
		outcome := keyspace.Below(keyspace.Outcomes, a.own.ID) + parts[0] + "/" + parts[1]
		return a.tell(ctx, key, outcome, a.take(ctx, parts[0], token))
	})
}

// take hands in one answer and returns what became of it. What is for no open question, is signed
// by nobody who counts here, or was handed in before, is not handed in: the record has no room for
// the mistakes of others, and whoever can write in etcd could fill it.
func (a *Agent) take(ctx context.Context, id string, token []byte) plan.Fields {
	e, err := a.Launcher.Store.Get(ctx, id)
	if err != nil {
		return refused(err)
	}
	if e.State != approval.Pending {
		return plan.Fields{"outcome": "late", "message": "the question is " + string(e.State)}
	}
	if err := a.Launcher.CheckToken(token); err != nil {
		return refused(err)
	}
	if !a.once.first(token) {
		return plan.Fields{"outcome": "late", "message": "it was handed in before"}
	}
	taken, err := a.Launcher.DecideToken(ctx, token)
	switch {
	case errors.Is(err, approval.ErrOffline), errors.Is(err, approval.ErrAway):
		a.once.forget(token)
		return refused(err)
	case errors.Is(err, approval.ErrReplayed), errors.Is(err, approval.ErrVoted):
		// this agent, or one before it, died when it had handed it in
		return plan.Fields{"outcome": "taken", "message": err.Error()}
	case err != nil:
		return refused(err)
	}
	return plan.Fields{"outcome": "taken", "approved": taken.Approved, "signer": taken.Signer,
		"votes": taken.Votes, "people": taken.People}
}

func refused(err error) plan.Fields {
	return plan.Fields{"outcome": "refused", "message": err.Error()}
}

// tell stores the outcome of an answer and removes the answer, in one transaction. An outcome that
// was told before stays.
func (a *Agent) tell(ctx context.Context, answer, outcome string, f plan.Fields) error {
	value, err := canonical.Append(nil, map[string]any(f))
	if err != nil {
		return err
	}
	lease, err := a.Etcd.Grant(ctx, int64(outcomeLife/time.Second))
	if err != nil {
		return err
	}
	_, err = a.Etcd.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(outcome), "=", 0)).
		Then(clientv3.OpPut(outcome, string(value), clientv3.WithLease(lease.ID)),
			clientv3.OpDelete(answer)).
		Else(clientv3.OpDelete(answer)).Commit()
	return err
}
