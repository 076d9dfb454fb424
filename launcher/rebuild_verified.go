package launcher

import (
	"context"

	"github.com/tada-run/tada-run/approval"
)

// RebuildApprovals rebuilds a lost or damaged database of approvals from the log, which is verified
// first. What was used or denied stays so; open questions and standing approvals are gone.
func (l *Launcher) RebuildApprovals(ctx context.Context) (approval.Rebuilt, error) {
	return l.Approvals.Rebuild(ctx, func() error {
		_, err := l.Verify()
		return err
	})
}
