//go:build !linux && !darwin

package live

import (
	"errors"
	"os"
	"time"
)

// Kill returns the error of an unsupported system.
func (n Runs) Kill(string) (bool, error) { return false, errors.ErrUnsupported }

// EndAll returns the error of an unsupported system.
func (n Runs) EndAll(time.Duration) ([]string, error) { return nil, errors.ErrUnsupported }

// PauseAll returns the error of an unsupported system.
func (n Runs) PauseAll(time.Duration) (paused, ended []string, err error) {
	return nil, nil, errors.ErrUnsupported
}

// Dial returns the error of an unsupported system.
func (n Runs) Dial(prefix string) (conn *os.File, id string, err error) {
	return nil, prefix, errors.ErrUnsupported
}

// SweepSockets does nothing: there are none.
func (n Runs) SweepSockets() {}
