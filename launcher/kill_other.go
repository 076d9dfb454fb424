//go:build !linux

package launcher

import "time"

// Kill returns the error of an unsupported system.
func (l *Launcher) Kill(string) (bool, error) { return false, supported() }

// EndAll returns the error of an unsupported system.
func (l *Launcher) EndAll(time.Duration) ([]string, error) { return nil, supported() }

// PauseAll returns the error of an unsupported system.
func (l *Launcher) PauseAll(time.Duration) (paused, ended []string, err error) {
	return nil, nil, supported()
}
