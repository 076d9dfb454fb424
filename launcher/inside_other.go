//go:build !linux && !darwin

package launcher

import "github.com/tada-run/tada-run/shellparse"

// Inside returns false: there is no sandbox on this system.
func Inside() bool { return false }

// ExecShell returns the error of an unsupported system.
func ExecShell(shellparse.Dialect, []string, []string) error { return supported() }
