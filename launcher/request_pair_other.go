//go:build !linux

package launcher

import "github.com/tada-run/tada-run/launcher/sandbox"

// A requestPair is in a session, on Linux only.
type requestPair struct{}

func newRequestPair() (*requestPair, error) { return nil, supported() }

func (*requestPair) handDown(*sandbox.Command) {}

func (*requestPair) close() {}
