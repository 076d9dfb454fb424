package agent

import (
	"context"
	"errors"
	"fmt"
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
	a.awaitApprovals(ctx)
	below := keyspace.Below(keyspace.Answers, a.own.ID)
	return a.each(ctx, below, func(key string, token []byte) error {
		parts := keyspace.Parts(key, below, 2)
		if parts == nil || len(token) > approval.MaxToken {
			_, err := a.Etcd.Delete(ctx, key)
			return err
		}
		outcome := keyspace.Below(keyspace.Outcomes, a.own.ID) + parts[0] + "/" + parts[1]
		f, err := a.take(ctx, parts[0], token)
		if err != nil {
			return err // the answer stays until the approvals can be reached
		}
		again, err := a.tell(ctx, key, outcome, f)
		if err == nil {
			a.notice(given{parts[0], parts[1], again}, token)
		}
		return err
	})
}

// take hands in one answer and returns what became of it. What is for no open question, is signed
// by nobody who counts here, or was handed in before, is not handed in: the record has no room for
// the mistakes of others, and whoever can write in etcd could fill it. An error says that the
// approvals cannot be reached now.
func (a *Agent) take(ctx context.Context, id string, token []byte) (plan.Fields, error) {
	if err := a.Launcher.Ready(); err != nil { // it opens the store
		return refused(err)
	}
	e, err := a.Launcher.Store.Get(ctx, id)
	if err != nil {
		return refused(err)
	}
	if e.State != approval.Pending {
		return plan.Fields{"outcome": "late", "message": "the question is " + string(e.State)}, nil
	}
	question, err := a.Launcher.CheckToken(token)
	if err == nil && question != id {
		err = fmt.Errorf("it answers question %q", question)
	}
	if err != nil {
		return refused(err)
	}
	if !a.once.first(token) {
		return plan.Fields{"outcome": "late", "message": "it was handed in before"}, nil
	}
	taken, err := a.Launcher.DecideToken(ctx, token)
	switch {
	case errors.Is(err, approval.ErrReplayed), errors.Is(err, approval.ErrVoted):
		// this agent, or one before it, died when it had handed it in
		return plan.Fields{"outcome": "taken", "message": err.Error()}, nil
	case err != nil:
		f, err := refused(err)
		if err != nil {
			a.once.forget(token)
		}
		return f, err
	}
	return plan.Fields{"outcome": "taken", "approved": taken.Approved, "signer": taken.Signer,
		"votes": taken.Votes, "people": taken.People}, nil
}

// refused says why an answer is not taken; an error that says nothing about the answer is returned.
func refused(err error) (plan.Fields, error) {
	for _, away := range []error{approval.ErrOffline, approval.ErrAway, approval.ErrUnsure,
		context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, away) {
			return nil, err
		}
	}
	return plan.Fields{"outcome": "refused", "message": err.Error()}, nil
}

// tell stores the outcome of an answer and removes the answer, in one transaction. An outcome that
// was told before stays; again reports whether there was one.
func (a *Agent) tell(ctx context.Context, answer, outcome string,
	f plan.Fields) (again bool, err error) {
	value, err := canonical.Append(nil, map[string]any(f))
	if err != nil {
		return false, err
	}
	lease, err := a.Etcd.Grant(ctx, int64(outcomeLife/time.Second))
	if err != nil {
		return false, err
	}
	done, err := a.Etcd.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(outcome), "=", 0)).
		Then(clientv3.OpPut(outcome, string(value), clientv3.WithLease(lease.ID)),
			clientv3.OpDelete(answer)).
		Else(clientv3.OpDelete(answer)).Commit()
	return err == nil && !done.Succeeded, err
}
