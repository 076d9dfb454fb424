package permit

import (
	"context"
	"fmt"
	"syscall"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/state"
)

// granting is locked while an approval becomes a standing approval. A run that waits is woken by
// the approval, and would consume it before it could become one.
const granting = "granting"

// DecideStanding is Decide with an approval that also makes the standing approval that r describes,
// of which the decision has the rest. If that is not possible, nothing is approved and the error
// says why.
func (p *Approvals) DecideStanding(ctx context.Context, d approval.Decision,
	r approval.GrantRequest) (approval.Grant, error) {
	lock, err := p.dir.Lock(granting, syscall.LOCK_EX)
	if err != nil {
		return approval.Grant{}, err
	}
	defer lock.Close()
	if _, err := p.May(approval.Remember, approval.Channel(d.Channel)); err != nil {
		return approval.Grant{}, err
	}
	r.Envelope, r.PlanHash, r.Approver, r.Channel = d.Envelope, d.PlanHash, d.Approver, d.Channel
	if e, err := p.Envelope(ctx, d.Envelope); err != nil {
		return approval.Grant{}, err
	} else if err := e.MayStand(d, r); err != nil {
		return approval.Grant{}, err
	}
	if err := p.Decide(ctx, d); err != nil {
		return approval.Grant{}, err
	}
	return p.grant(ctx, r)
}

// grant makes the approved and unused question a standing approval and records it.
func (p *Approvals) grant(ctx context.Context, r approval.GrantRequest) (approval.Grant, error) {
	var g approval.Grant
	err := p.Deciding(func() (events []approval.Event, err error) {
		if g, events, err = p.Store.Grant(ctx, r); err != nil {
			return events, err
		}
		// It replaces the approval, which would be one use more than was given.
		cancelled, err := p.Store.Cancel(ctx, r.Envelope, "it became grant "+g.ID)
		return append(events, cancelled...), err
	})
	if err != nil {
		err = fmt.Errorf("approved once, without a grant: %w", err)
	}
	return g, err
}

// Grants returns the standing approvals that can be used now, oldest first.
func (p *Approvals) Grants(ctx context.Context) ([]approval.Grant, error) {
	if err := p.Ready(); err != nil {
		return nil, err
	}
	return p.Store.Grants(ctx)
}

// Revoke ends, over a channel, the standing approval whose id begins with prefix and returns its
// id. A prefix that several have is ErrAmbiguous.
func (p *Approvals) Revoke(ctx context.Context, over approval.Channel, prefix,
	why string) (string, error) {
	grants, err := p.Grants(ctx)
	if err != nil {
		return "", err
	}
	ids := make([]string, 0, len(grants))
	for _, g := range grants {
		ids = append(ids, g.ID)
	}
	if _, err := p.May(approval.Revoke, over); err != nil {
		return "", err
	}
	id, err := state.Only(ids, prefix)
	if err != nil {
		return "", fmt.Errorf("grant %q: %w; try: tadactl grants", prefix, err)
	}
	return id, p.Deciding(func() ([]approval.Event, error) { return p.Store.Revoke(ctx, id, why) })
}
