//go:build !linux

package launcher

// RemoteState is the kind of the file system that the state directory is on, if its files may be on
// another machine; "" if not, or if that is not known.
func (l *Launcher) RemoteState() string { return "" }
