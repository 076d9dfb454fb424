//go:build !linux

package launcher

import "context"

// Changes returns the error of an unsupported system.
func (l *Launcher) Changes(context.Context) (<-chan struct{}, error) { return nil, supported() }
