//go:build !linux

package network

import (
	"context"
	"errors"
	"net/netip"
)

// Resolve returns an error: nothing runs in a sandbox on this system.
func (s Stub) Resolve(context.Context, string) (own, found []netip.Addr, err error) {
	return nil, nil, errors.ErrUnsupported
}

// Own returns true: an address that cannot be examined counts as this machine.
func (s Stub) Own(netip.Addr) bool { return true }

// Listeners returns an error: nothing runs in a sandbox on this system.
func (s Stub) Listeners(uint16) ([]Listener, error) { return nil, errors.ErrUnsupported }

func owner(l Listener) string { return ofUser(l) }

func holders(Listener) []Holder { return nil }
