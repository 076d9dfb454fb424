//go:build !linux && !darwin

package permit

import (
	"time"

	"github.com/tada-run/tada-run/approval"
)

func (p *Approvals) clock() approval.Clock {
	return approval.Clock{Now: p.dir.Now(), Boot: time.Duration(0)}
}
