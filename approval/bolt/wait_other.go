//go:build !linux

package bolt

import (
	"context"

	"github.com/tada-run/tada-run/approval"
)

// Await implements [approval.DB]; here it returns ErrUnsupported.
func (b *DB) Await(context.Context, string, approval.Look) error { return approval.ErrUnsupported }
