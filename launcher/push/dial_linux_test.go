package push

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

// No relay is an address of this machine, of a private network or of a special range, however it is
// written.
func TestOutside(t *testing.T) {
	for _, addr := range []string{"127.0.0.1", "127.1.2.3", "0.0.0.0", "10.0.0.1", "172.16.0.1",
		"172.31.255.255", "192.168.1.1", "169.254.169.254", "169.254.1.1", "100.64.0.1",
		"100.127.255.255", "100.100.100.200", "168.63.129.16", "192.0.0.1", "198.18.0.1",
		"224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
		"::", "::1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1",
		"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:100.64.0.1",
		"::127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::1",
		"2002:7f00:1::", "2002:c0a8:101::1", "2001::1"} {
		if err := outside(netip.AddrPortFrom(netip.MustParseAddr(addr), 443)); !errors.Is(err,
			errInside) {
			t.Errorf("%s: %v", addr, err)
		}
	}
	for _, addr := range []string{"1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1",
		"2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"} {
		if err := outside(netip.AddrPortFrom(netip.MustParseAddr(addr), 443)); err != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range own {
		addr := netip.MustParsePrefix(a.String()).Addr()
		if err := outside(netip.AddrPortFrom(addr, 443)); err == nil {
			t.Errorf("%s of this machine is outside", addr)
		}
	}
}

// The address is checked as the connection is made, so no name leads past the check, and no proxy.
func TestDial(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	reached := make(chan bool, 8)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			reached <- true
			c.Close()
		}
	}()
	client := newClient(outside, nil)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, host := range []string{"localhost", "127.0.0.1", "[::ffff:127.0.0.1]", "0.0.0.0",
		"[::]"} {
		resp, err := client.Get("https://" + host + ":" + port + "/")
		if err == nil {
			resp.Body.Close()
		}
		if !errors.Is(err, errInside) {
			t.Errorf("%s: %v", host, err)
		}
	}
	if client.Transport.(*http.Transport).Proxy != nil {
		t.Error("what a proxy connects to is not checked")
	}
	if err := client.CheckRedirect(nil, nil); !errors.Is(err, http.ErrUseLastResponse) {
		t.Error(err)
	}
	if len(reached) > 0 {
		t.Error("there was a connection")
	}
	l.Close()
	open := newClient(func(netip.AddrPort) error { return nil }, nil)
	_, err = open.Get("https://localhost:" + port + "/secret")
	if err = unsent(err); strings.Contains(err.Error(), "secret") ||
		!errors.As(err, new(failure)) {
		t.Errorf("the endpoint is shown: %v", err)
	}
}
