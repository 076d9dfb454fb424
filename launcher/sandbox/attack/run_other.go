//go:build !darwin && (!linux || !(amd64 || arm64))

package attack

import (
	"context"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// Run returns ErrNotHere.
func Run(context.Context, sandbox.Level) ([]Row, error) { return nil, ErrNotHere }
