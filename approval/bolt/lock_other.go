//go:build !linux

package bolt

import (
	"context"
	"os"
	"time"

	"github.com/tada-run/tada-run/approval"
)

func lock(context.Context, *os.File, func(*os.File, time.Duration)) error {
	return approval.ErrUnsupported
}

func lockShared(context.Context, *os.File, func(*os.File, time.Duration)) error {
	return approval.ErrUnsupported
}

func tryExclusive(*os.File) bool { return false }

func tryShared(*os.File) bool { return false }

func openBoard(string) (*os.File, error) { return nil, approval.ErrUnsupported }

func makeBoard(string) (*os.File, error) { return nil, approval.ErrUnsupported }

func hangBell(*os.File) *os.File { return nil }

func dropBoard(*os.File) error { return approval.ErrUnsupported }

func waitBoard(*os.File, time.Duration, func(*os.File, time.Duration)) error {
	return approval.ErrUnsupported
}

func release(f *os.File) { f.Close() }
