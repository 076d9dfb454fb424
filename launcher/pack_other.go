//go:build !linux && !darwin

package launcher

func (l *Launcher) packLater(int64) {}

func (l *Launcher) packIfMany(string) {}
