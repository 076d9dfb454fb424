package launcher

import "fmt"

// unsupported says why nothing runs on a system, and what to use.
func unsupported(system string) error {
	if system == "darwin" {
		return fmt.Errorf("tada-run runs no commands on macOS yet: its sandbox there, by " +
			"Seatbelt, is untested on a Mac until `tadactl doctor --attack` has run, and what " +
			"relays the output of a command and records it is made for Linux only; use a " +
			"virtual machine: tadactl help macos")
	}
	return fmt.Errorf("tada-run has no sandbox for %s and runs nothing without one; use Linux "+
		"5.13 or newer", system)
}
