//go:build !linux

package bolt

import (
	"os"
	"time"

	"github.com/tada-run/tada-run/approval"
)

func openBoard(string) (*os.File, error) { return nil, approval.ErrUnsupported }

func makeBoard(string) (*os.File, error) { return nil, approval.ErrUnsupported }

func hangBell(*os.File) *os.File { return nil }

func dropBoard(*os.File) error { return approval.ErrUnsupported }

func waitBoard(*os.File, time.Duration, func(*os.File, time.Duration)) error {
	return approval.ErrUnsupported
}

func release(f *os.File) { f.Close() }
