package network

import (
	"context"
	"errors"
	"net/netip"
)

// A Resolver finds the addresses of a name, which is in lower case without the last dot: those that
// this machine's own files give (own), and those that name servers gave (found). Both empty with a
// nil error: the name has none. ErrNoName: it does not exist.
type Resolver interface {
	Resolve(ctx context.Context, name string) (own, found []netip.Addr, err error)
	// Own reports whether an address is one of this machine's own: of any of its interfaces.
	Own(addr netip.Addr) bool
	// Listeners returns the sockets of this machine that take TCP connections on a port.
	Listeners(port uint16) ([]Listener, error)
}

// ErrNoName is what a Resolver returns for a name that does not exist.
var ErrNoName = errors.New("no such name")
