//go:build !linux

package state

import "crypto/rand"

// random is the standard library's reader.
type random struct{}

// Read fills p.
func (random) Read(p []byte) (int, error) { return rand.Read(p) }
