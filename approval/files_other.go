//go:build !linux

package approval

import (
	"context"
	"os"
)

func openPrivate(string, int, os.FileMode) (*os.File, error) { return nil, ErrUnsupported }

func checkFolder(string) error { return ErrUnsupported }

func lock(context.Context, *os.File) error { return ErrUnsupported }

func release(f *os.File) { f.Close() }
