//go:build !linux && !darwin

package state

// processOf knows no process.
func processOf(int) (started string, parent int, ok bool) { return "", 0, false }
