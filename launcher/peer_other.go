//go:build !linux

package launcher

// MayDecide returns the error of an unsupported system: nothing can be decided where nothing runs.
func MayDecide() error { return supported() }
