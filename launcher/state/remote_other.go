//go:build !linux

package state

// Remote is the kind of the file system that the state directory is on, if its files may be on
// another machine; "" if not, or if that is not known.
func (h Home) Remote() string { return "" }
