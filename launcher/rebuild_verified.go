package launcher

import (
	"context"

	"github.com/tada-run/tada-run/approval"
)

// RebuildApprovals rebuilds a lost or damaged database of approvals from the log, which is verified
// first. What was used or denied stays so; open questions and standing approvals are gone.
func (l *Launcher) RebuildApprovals(ctx context.Context) (approval.Rebuilt, error) {
	return l.Approvals.Rebuild(ctx, l.verified)
}

// RebuildFile is RebuildApprovals for the file of approvals of a machine whose fleet has them: it
// moves there after it.
func (l *Launcher) RebuildFile(ctx context.Context) (approval.Rebuilt, error) {
	return l.Approvals.RebuildFile(ctx, l.verified)
}

func (l *Launcher) verified() error {
	_, err := l.Verify()
	return err
}
