//go:build !linux

package launcher

// Kill returns the error of an unsupported system.
func (l *Launcher) Kill(string) (bool, error) { return false, supported() }
