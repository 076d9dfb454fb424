//go:build !linux

package permit

import (
	"context"
	"errors"
)

// Changes returns the error of an unsupported system.
func (p *Approvals) Changes(context.Context) (<-chan struct{}, error) {
	return nil, errors.ErrUnsupported
}
