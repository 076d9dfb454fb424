package launcher

import "fmt"

// unsupported says why nothing runs on a system, and what to use.
func unsupported(system string) error {
	return fmt.Errorf("tada-run has no sandbox for %s and runs nothing without one; use Linux "+
		"5.13 or newer", system)
}
