//go:build !linux

package launcher

// AdoptOrphans does nothing: there is no sandbox here.
func AdoptOrphans() {}
