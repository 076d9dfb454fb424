package permit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/refusal"
)

// UseGrant consumes a use of the standing approval for exactly this plan, if there is one: the run
// then has its id. The use is on the disk before anything runs, and the person who watches sees by
// what right it runs.
func (q *Question) UseGrant(ctx context.Context) error {
	if err := q.useGrantOf(ctx, q.Asker(), q.Payload()); err != nil || q.Grant != "" {
		return err
	}
	for n := range plan.Choices(q.Payload()) {
		chosen, err := plan.Choose(q.Payload(), n+1)
		if err == nil {
			err = q.useGrantOf(ctx, approval.AnySession, chosen)
		}
		if err != nil || q.Grant != "" {
			return err
		}
	}
	return nil
}

// useGrantOf consumes a use of the standing approval that a session has for a plan.
func (q *Question) useGrantOf(ctx context.Context, session string, payload []byte) error {
	var g approval.Grant
	err := q.Approvals.Change(q.Log, audit.Durable, func() (events []approval.Event, err error) {
		g, events, err = q.Store.UseGrant(ctx, session, payload)
		if err == nil && !g.Lasting {
			err = q.spend(g.Envelope, "grant", g.ID, strconv.Itoa(g.Used))
		}
		return events, err
	})
	if errors.Is(err, approval.ErrNoGrant) {
		return nil
	}
	if err != nil {
		return err
	}
	q.Grant = g.ID
	fmt.Fprintf(os.Stderr, "tada-run: %s\n", g.Authority(q.dir.Now()))
	return nil
}

// useNewGrant is useGrant for a run that was woken by an answer, when that is becoming a standing
// approval just now.
func (q *Question) useNewGrant(ctx context.Context) error {
	settled, err := q.dir.Lock(granting, syscall.LOCK_SH|syscall.LOCK_NB)
	if err == nil {
		return settled.Close()
	}
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return err
	}
	if settled, err = q.dir.Lock(granting, syscall.LOCK_SH); err != nil {
		return err
	}
	settled.Close()
	fresh, err := q.Again()
	if err != nil {
		return err
	}
	q.Case = fresh
	return q.UseGrant(ctx)
}

// enlist makes an approval a standing approval, and uses it: of what a session opens, or of the
// choice that the person took. As after every answer, the request is judged again.
func (q *Question) enlist(ctx context.Context, id string) (*refusal.Refusal, error) {
	fresh, err := q.Again()
	if err != nil {
		return nil, err
	}
	q.Case = fresh
	e, err := q.Store.Get(ctx, id)
	if err != nil {
		return q.storeRefusal(err)
	}
	err = q.Approvals.Change(q.Log, audit.Durable, func() (events []approval.Event, err error) {
		if e.Decision == nil || q.choice == 0 && !fresh.Lasts() {
			return nil, &approval.Refused{Envelope: id, Outcome: approval.OutcomeMismatch,
				Err: approval.ErrMismatch}
		}
		_, events, err = q.Store.Grant(ctx,
			approval.GrantRequest{Envelope: id, PlanHash: fresh.Hash(), Choice: q.choice,
				Approver: e.Decision.Approver, Channel: e.Decision.Channel})
		if err != nil {
			return events, err
		}
		cancelled, err := q.Store.Cancel(ctx, id, "it became a grant")
		return append(events, cancelled...), err
	})
	if err != nil {
		return q.storeRefusal(err)
	}
	if err := q.UseGrant(ctx); err != nil || q.Grant != "" {
		return nil, err
	}
	return q.storeRefusal(&approval.Refused{Envelope: id, Outcome: approval.OutcomeMismatch,
		Err: approval.ErrMismatch})
}

// EndGrants ends the standing approvals of the session: an agent that tries what is denied, or
// works where protected files were changed, is asked about everything again. A store that cannot
// do it permits nothing either.
func (a *Attempt) EndGrants(why string) {
	if a.Ready() != nil {
		return
	}
	ctx, cancel := StoreContext()
	defer cancel()
	_ = a.Approvals.Change(a.Log, audit.Lazy, func() ([]approval.Event, error) {
		return a.Store.Suspend(ctx, a.Asker(), why)
	})
}
