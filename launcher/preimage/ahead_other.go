//go:build !linux && !darwin

package preimage

// Ahead does nothing: nothing runs on this system.
func (r *Run) Ahead(string, bool) {}
