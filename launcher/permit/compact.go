package permit

import (
	"context"

	"github.com/tada-run/tada-run/approval/bolt"
)

// Compact makes the store as small as what it holds, and says how many bytes that saved.
func (p *Approvals) Compact(ctx context.Context) (saved int64, err error) {
	if !p.HasStore() || p.dir.Joined() { // the fleet's agent looks after its own
		return 0, nil
	}
	return bolt.Compact(ctx, p.dir.Approvals(), p.StoreOptions())
}
