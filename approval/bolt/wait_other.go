//go:build !linux

package bolt

import (
	"context"

	"github.com/tada-run/tada-run/approval"
)

// Await implements [approval.DB].
func (b *DB) Await(ctx context.Context, _ string, look approval.Look) error {
	return poll(ctx, look)
}
