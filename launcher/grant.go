package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/launcher/state"
)

// useGrant spends a use of the standing approval for exactly this plan, if there is one: the run
// then has its id. The use is on the disk before anything runs, and the person who watches is
// told by what right it does.
func (q *openQuestion) useGrant(ctx context.Context) error {
	l := q.l
	var g approval.Grant
	err := l.change(q.log, audit.Durable, func() (events []approval.Event, err error) {
		g, events, err = l.store.UseGrant(ctx, q.askerOf(), q.Payload())
		if err == nil && !g.Lasting {
			err = l.spend(g.Envelope, "grant", g.ID, strconv.Itoa(g.Used))
		}
		return events, err
	})
	if errors.Is(err, approval.ErrNoGrant) {
		return nil
	}
	if err != nil {
		return err
	}
	q.grant = g.ID
	fmt.Fprintf(os.Stderr, "tada-run: %s\n", g.Authority(l.state.Now()))
	return nil
}

// granting is locked while a yes becomes a standing approval. A run that waits is woken by the yes,
// and would spend it before it could become one.
const granting = "granting"

// useNewGrant is useGrant for a run that was woken by an answer, when that is becoming a standing
// approval just now.
func (q *openQuestion) useNewGrant(ctx context.Context) error {
	l := q.l
	settled, err := l.state.Lock(granting, syscall.LOCK_SH|syscall.LOCK_NB)
	if err == nil {
		return settled.Close()
	}
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return err
	}
	if settled, err = l.state.Lock(granting, syscall.LOCK_SH); err != nil {
		return err
	}
	settled.Close()
	return q.useGrant(ctx)
}

// DecideStanding is Decide with a yes that also makes a standing approval. Where that cannot be
// given, nothing is approved and the error says why.
func (l *Launcher) DecideStanding(ctx context.Context, d approval.Decision, uses int, life time.Duration) (approval.Grant, error) {
	lock, err := l.state.Lock(granting, syscall.LOCK_EX)
	if err != nil {
		return approval.Grant{}, err
	}
	defer lock.Close()
	if _, err := l.May(approval.Remember, approval.Channel(d.Channel)); err != nil {
		return approval.Grant{}, err
	}
	r := approval.GrantRequest{Envelope: d.Envelope, PlanHash: d.PlanHash, Uses: uses, For: life, Approver: d.Approver, Channel: d.Channel}
	if e, err := l.Envelope(ctx, d.Envelope); err != nil {
		return approval.Grant{}, err
	} else if err := e.MayStand(d, r); err != nil {
		return approval.Grant{}, err
	}
	if err := l.Decide(ctx, d); err != nil {
		return approval.Grant{}, err
	}
	return l.grant(ctx, r)
}

// grant makes the approved and unused question a standing approval and records it.
func (l *Launcher) grant(ctx context.Context, r approval.GrantRequest) (approval.Grant, error) {
	var g approval.Grant
	err := l.deciding(func() (events []approval.Event, err error) {
		if g, events, err = l.store.Grant(ctx, r); err != nil {
			return events, err
		}
		// It takes the place of the yes, which would be one use more than was said.
		cancelled, err := l.store.Cancel(ctx, r.Envelope, "it became grant "+g.ID)
		return append(events, cancelled...), err
	})
	if err != nil {
		err = fmt.Errorf("approved once, without a grant: %w", err)
	}
	return g, err
}

// Grants returns the standing approvals that can be used now, oldest first.
func (l *Launcher) Grants(ctx context.Context) ([]approval.Grant, error) {
	if err := l.ready(); err != nil {
		return nil, err
	}
	return l.store.Grants(ctx)
}

// Revoke ends the standing approval whose id begins with prefix and returns its id. A prefix that
// several have is ErrAmbiguous.
func (l *Launcher) Revoke(ctx context.Context, prefix, why string) (string, error) {
	grants, err := l.Grants(ctx)
	if err != nil {
		return "", err
	}
	ids := make([]string, 0, len(grants))
	for _, g := range grants {
		ids = append(ids, g.ID)
	}
	if _, err := l.May(approval.Revoke, approval.ChannelTadactl); err != nil {
		return "", err
	}
	id, err := state.Only(ids, prefix)
	if err != nil {
		return "", fmt.Errorf("grant %q: %w; try: tadactl grants", prefix, err)
	}
	return id, l.deciding(func() ([]approval.Event, error) { return l.store.Revoke(ctx, id, why) })
}

// enlist makes the yes to what a session opens a standing approval, and uses it. As after every
// answer, the request is judged anew.
func (q *openQuestion) enlist(ctx context.Context, id string) (*refusal.Refusal, error) {
	l := q.l
	fresh, err := q.rejudge()
	if err != nil {
		return nil, err
	}
	q.renew(fresh)
	e, err := l.store.Get(ctx, id)
	if err != nil {
		return q.storeRefusal(err)
	}
	err = l.change(q.log, audit.Durable, func() (events []approval.Event, err error) {
		if !fresh.lasts() || e.Decision == nil {
			return nil, &approval.Refused{Envelope: id, Outcome: approval.OutcomeMismatch, Err: approval.ErrMismatch}
		}
		_, events, err = l.store.Grant(ctx, approval.GrantRequest{Envelope: id, PlanHash: fresh.Hash(), Approver: e.Decision.Approver, Channel: e.Decision.Channel})
		if err != nil {
			return events, err
		}
		cancelled, err := l.store.Cancel(ctx, id, "it became a grant")
		return append(events, cancelled...), err
	})
	if err != nil {
		return q.storeRefusal(err)
	}
	if err := q.useGrant(ctx); err != nil || q.grant != "" {
		return nil, err
	}
	return q.storeRefusal(&approval.Refused{Envelope: id, Outcome: approval.OutcomeMismatch, Err: approval.ErrMismatch})
}
