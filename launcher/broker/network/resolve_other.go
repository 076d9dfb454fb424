//go:build !linux

package network

import (
	"context"
	"errors"
	"net/netip"
)

// Resolve returns an error: nothing runs behind a fence on this system.
func (s Stub) Resolve(context.Context, string) (own, found []netip.Addr, err error) {
	return nil, nil, errors.ErrUnsupported
}

// Own reports true: what cannot be told is this machine.
func (s Stub) Own(netip.Addr) bool { return true }

// Listeners returns an error: nothing runs behind a fence on this system.
func (s Stub) Listeners(uint16) ([]Listener, error) { return nil, errors.ErrUnsupported }

func owner(l Listener) string { return ofUser(l) }
