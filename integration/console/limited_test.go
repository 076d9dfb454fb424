package console

import (
	"net"
	"net/netip"
	"testing"
	"time"
)

// A remote is a connection that says that it is of another machine: this one has no other address
// to connect from.
type remote struct {
	net.Conn
	at net.Addr
}

func (c remote) RemoteAddr() net.Addr { return c.at }

// elsewhere is a listener whose connections are of these machines, in turn.
type elsewhere struct {
	net.Listener
	hosts chan string
}

func (l elsewhere) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	at := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(<-l.hosts))
	return remote{c, at}, nil
}

// One machine has at most its share of the connections, and gets it back.
func TestConnectionsOfOneMachine(t *testing.T) {
	t.Parallel()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	hosts := make(chan string, 3*mostOfHost)
	l := newLimited(elsewhere{inner, hosts})
	var clients, taken []net.Conn
	connect := func(n int, host string) {
		t.Helper()
		for range n {
			hosts <- host
			c, err := net.DialTimeout("tcp", inner.Addr().String(), 10*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			clients = append(clients, c)
		}
	}
	accept := func() net.Conn {
		t.Helper()
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, c)
		return c
	}
	connect(mostOfHost, "192.0.2.1:1")
	for range mostOfHost {
		accept()
	}
	connect(5, "[::ffff:192.0.2.1]:1") // the same machine
	connect(1, "192.0.2.2:1")
	if at := accept().RemoteAddr().String(); at != "192.0.2.2:1" {
		t.Errorf("%s has more than its share", at)
	}
	taken[0].Close()
	connect(1, "192.0.2.1:1")
	if at := accept().RemoteAddr().String(); at != "192.0.2.1:1" {
		t.Error(at)
	}
	connect(mostOfHost+1, "127.0.0.1:1")
	for range mostOfHost + 1 {
		accept()
	}
	for _, c := range append(clients, taken...) {
		c.Close()
	}
	if len(l.hosts) != 0 || len(l.free) != 0 {
		t.Errorf("%v, %d", l.hosts, len(l.free))
	}
}
