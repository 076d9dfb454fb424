//go:build !linux

package relay

import (
	"context"
	"os"
	"time"

	"github.com/tada-run/tada-run/approval"
)

func dial(context.Context, string, time.Time) (*os.File, error) {
	return nil, approval.ErrUnsupported
}
