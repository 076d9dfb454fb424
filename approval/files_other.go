//go:build !linux

package approval

import (
	"context"
	"os"
	"time"
)

func openPrivate(string, int, os.FileMode) (*os.File, error) { return nil, ErrUnsupported }

func checkFolder(string) error { return ErrUnsupported }

func lock(context.Context, *os.File, func(*os.File, time.Duration)) error { return ErrUnsupported }

func lockShared(context.Context, *os.File, func(*os.File, time.Duration)) error {
	return ErrUnsupported
}

func tryExclusive(*os.File) bool { return false }

func tryShared(*os.File) bool { return false }

func openBoard(string) (*os.File, error) { return nil, ErrUnsupported }

func makeBoard(string) (*os.File, error) { return nil, ErrUnsupported }

func hangBell(*os.File) *os.File { return nil }

func dropBoard(*os.File) error { return ErrUnsupported }

func waitBoard(*os.File, time.Duration, func(*os.File, time.Duration)) error { return ErrUnsupported }

func release(f *os.File) { f.Close() }
