//go:build !linux && !darwin

package private

import "os"

// Open returns ErrUnsupported.
func Open(string, int, os.FileMode) (*os.File, error) { return nil, ErrUnsupported }

// CheckFolder returns ErrUnsupported.
func CheckFolder(string) error { return ErrUnsupported }
