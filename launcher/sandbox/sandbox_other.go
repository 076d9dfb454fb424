//go:build !darwin && (!linux || !(amd64 || arm64))

package sandbox

import "github.com/tada-run/tada-run/launcher/broker"

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

// Remembered returns None.
func Remembered(string) Level { return None }

// Stay does nothing.
func (*Process) Stay() {}

// Freeze does nothing.
func (*Process) Freeze() {}

// Thaw does nothing.
func (*Process) Thaw() {}

// Hold reports false: what runs has to be ended.
func (*Process) Hold() bool { return false }

// Release does nothing.
func (*Process) Release() {}

// Traffic returns nothing.
func (*Process) Traffic() broker.Traffic { return broker.Traffic{} }

// Settle does nothing.
func (*Process) Settle() {}

// Noted returns nil.
func (*Process) Noted() <-chan struct{} { return nil }

// TrafficSince returns nothing.
func (*Process) TrafficSince(int) []broker.Connection { return nil }
