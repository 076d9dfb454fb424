//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"syscall"
	"time"

	"github.com/tada-run/tada-run/launcher/broker"
)

// Start returns ErrUnsupported: nothing runs without a sandbox.
func Start(Profile, Command) (*Process, Receipt, error) { return nil, Receipt{}, ErrUnsupported }

// Held is a command that waits to be let go; there is none on this system.
type Held struct{}

// Begin returns ErrUnsupported.
func Begin(Profile, Command) (*Held, error) { return nil, ErrUnsupported }

// A Prepared is namespaces that were made ahead; there are none on this system.
type Prepared struct{}

// Prepare returns nil.
func Prepare(Network) *Prepared { return nil }

// Begin returns ErrUnsupported.
func (*Prepared) Begin(Profile, Command) (*Held, error) { return nil, ErrUnsupported }

// Release does nothing.
func (*Prepared) Release() {}

// Go returns ErrUnsupported.
func (*Held) Go() (*Process, Receipt, error) { return nil, Receipt{}, ErrUnsupported }

// Cancel does nothing.
func (*Held) Cancel() {}

// Probe returns a report of nothing.
func Probe() Report {
	return Report{Findings: []Finding{{Name: "sandbox", Detail: ErrUnsupported.Error(),
		Fix: "Linux 5.13 or newer on amd64 or arm64"}}}
}

// Remembered returns None.
func Remembered(string) Level { return None }

// Inside returns false: there is no sandbox on this system.
func Inside() bool { return false }

// A Process is a started command; there is none on this system.
type Process struct{}

// Pid returns 0.
func (*Process) Pid() int { return 0 }

// Wait returns ErrUnsupported.
func (*Process) Wait() (Status, error) { return Status{}, ErrUnsupported }

// Stay does nothing.
func (*Process) Stay() {}

// Next returns ErrUnsupported.
func (*Process) Next() (Status, error) { return Status{}, ErrUnsupported }

// Signal returns ErrUnsupported.
func (*Process) Signal(syscall.Signal) error { return ErrUnsupported }

// SignalGroup returns ErrUnsupported.
func (*Process) SignalGroup(syscall.Signal) error { return ErrUnsupported }

// Kill does nothing.
func (*Process) Kill() {}

// Freeze does nothing.
func (*Process) Freeze() {}

// Thaw does nothing.
func (*Process) Thaw() {}

// Hold reports false.
func (*Process) Hold() bool { return false }

// Release does nothing.
func (*Process) Release() {}

// End does nothing.
func (*Process) End(Limit, time.Duration) {}

// Traffic returns nothing.
func (*Process) Traffic() broker.Traffic { return broker.Traffic{} }

// Settle does nothing.
func (*Process) Settle() {}

// Noted returns nil.
func (*Process) Noted() <-chan struct{} { return nil }

// TrafficSince returns nothing.
func (*Process) TrafficSince(int) []broker.Connection { return nil }
