package permit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/audit"
)

// ErrIntact is returned by Rebuild where nothing is damaged.
var ErrIntact = errors.New("the approval database is not damaged; a rebuild would drop " +
	"every open question")

// ErrFleets is returned by Rebuild on a machine of a fleet.
var ErrFleets = errors.New("the fleet has the approvals of this machine; end its agent, and " +
	"type: tadactl fleet rebuild")

// Rebuild rebuilds a lost or damaged database of approvals from the log, which verify proves first.
// What was used or denied stays so; open questions and standing approvals are gone.
func (p *Approvals) Rebuild(ctx context.Context, verify func() error) (approval.Rebuilt, error) {
	if p.dir.Joined() {
		return approval.Rebuilt{}, ErrFleets
	}
	rebuilt, err := p.RebuildFile(ctx, verify)
	if err != nil {
		return rebuilt, err
	}
	fresh, err := Open(p.dir, p.record)
	if err != nil {
		return rebuilt, err
	}
	log, err := p.record.OpenLog()
	if err != nil {
		return rebuilt, err
	}
	defer log.Close()
	return rebuilt, fresh.Settle(log)
}

// Use takes a database in place of the one that is usual here.
func (p *Approvals) Use(db approval.DB) {
	p.opening.Lock()
	defer p.opening.Unlock()
	p.Store, p.closed = approval.Open(db, p.StoreOptions())
}

// RebuildFile is Rebuild for the file of approvals, whatever database is damaged.
func (p *Approvals) RebuildFile(ctx context.Context, verify func() error) (approval.Rebuilt,
	error) {
	if _, err := p.May(approval.Mend, approval.ChannelTadactl); err != nil {
		return approval.Rebuilt{}, err
	}
	_, err := p.Pending(ctx)
	if err == nil {
		err = p.Compare(ctx)
	}
	switch {
	case err == nil:
		return approval.Rebuilt{}, ErrIntact
	case !errors.Is(err, approval.ErrCorrupt) && !errors.Is(err, approval.ErrMissing) &&
		!errors.Is(err, approval.ErrBehind) && !errors.Is(err, approval.ErrMoved):
		return approval.Rebuilt{}, err // locked, or another's, or newer: rebuilding would not help
	}
	if err := verify(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return approval.Rebuilt{}, fmt.Errorf("the log itself cannot be trusted: %w", err)
	}
	return bolt.Rebuild(ctx, p.dir.Approvals(), p.StoreOptions(), p.approvalEvents(audit.Filter{}))
}
