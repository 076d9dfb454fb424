package push

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/launcher/broker/network"
)

// A guard returns why a connection to an address may not be made.
type guard func(netip.AddrPort) error

// errInside is the reason that guards give.
const errInside = reason("the relay's name leads to an address that is not public")

// outside allows addresses of the internet, and none of this machine.
func outside(to netip.AddrPort) error {
	what := network.Special(to.Addr())
	if what == "" && network.System().Own(to.Addr()) {
		what = "this machine"
	}
	if what != "" || to.Addr().Zone() != "" {
		return fmt.Errorf("%w: %s, %s", errInside, to.Addr(), what)
	}
	return nil
}

const (
	// postTimeout is for one attempt, with the lookup of the name.
	postTimeout = 10 * time.Second
	// maxAnswer is how long the header of a relay's answer may be. Its body is not read.
	maxAnswer = 16 << 10
)

// newClient returns a client that connects only where the guard allows it, whatever the name leads
// to at that moment, and follows no redirect.
func newClient(allowed guard, trust *tls.Config) *http.Client {
	dialer := &net.Dialer{Timeout: postTimeout, Control: func(_, address string,
		_ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return allowed(to)
	}}
	return &http.Client{
		Timeout: postTimeout,
		Transport: &http.Transport{DialContext: dialer.DialContext, TLSClientConfig: trust,
			TLSHandshakeTimeout: postTimeout, MaxResponseHeaderBytes: maxAnswer,
			DisableCompression: true, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}
