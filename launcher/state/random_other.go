//go:build !linux

package state

import "errors"

// random is there on Linux only.
type random struct{}

// Read returns an error.
func (random) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }
