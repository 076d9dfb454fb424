//go:build !darwin && (!linux || !(amd64 || arm64))

package sandbox

import (
	"syscall"
	"time"
)

// Start returns ErrUnsupported: nothing runs without a sandbox.
func Start(Profile, Command) (*Process, Receipt, error) { return nil, Receipt{}, ErrUnsupported }

// Probe returns a report of nothing.
func Probe() Report {
	return Report{Findings: []Finding{{Name: "sandbox", Detail: ErrUnsupported.Error(),
		Fix: "Linux 5.13 or newer on amd64 or arm64"}}}
}

// Inside returns false: there is no sandbox on this system.
func Inside() bool { return false }

// A Process is a started command; there is none on this system.
type Process struct{}

// Pid returns 0.
func (*Process) Pid() int { return 0 }

// Wait returns ErrUnsupported.
func (*Process) Wait() (Status, error) { return Status{}, ErrUnsupported }

// Next returns ErrUnsupported.
func (*Process) Next() (Status, error) { return Status{}, ErrUnsupported }

// Signal returns ErrUnsupported.
func (*Process) Signal(syscall.Signal) error { return ErrUnsupported }

// SignalGroup returns ErrUnsupported.
func (*Process) SignalGroup(syscall.Signal) error { return ErrUnsupported }

// Kill does nothing.
func (*Process) Kill() {}

// End does nothing.
func (*Process) End(Limit, time.Duration) {}
