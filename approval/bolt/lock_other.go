//go:build !linux

package bolt

import (
	"errors"
	"os"
	"time"

	"github.com/tada-run/tada-run/approval/flock"
)

// Boards are made of what Linux alone has: elsewhere each process stores its change by itself.

func openBoard(string) (*os.File, error) { return nil, nil }

func makeBoard(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func hangBell(*os.File) *os.File { return nil }

func dropBoard(*os.File) error { return nil }

func waitBoard(*os.File, time.Duration, func(*os.File, time.Duration)) error {
	return errors.ErrUnsupported
}

// release releases bbolt's lock on a file that bbolt left open.
func release(f *os.File) {
	_ = flock.Unlock(f)
	f.Close()
}
