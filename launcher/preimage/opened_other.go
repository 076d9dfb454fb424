//go:build !linux

package preimage

// Opened does nothing: nothing runs on this system.
func (r *Run) Opened([]int) error { return nil }
