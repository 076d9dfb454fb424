//go:build !linux && !darwin

package permit

import (
	"context"
	"errors"
)

// Changes returns the error of an unsupported system. On a machine of a fleet the changes come from
// its agent.
func (p *Approvals) Changes(ctx context.Context) (<-chan struct{}, error) {
	if p.dir.Joined() {
		return p.follow(ctx), nil
	}
	return nil, errors.ErrUnsupported
}
