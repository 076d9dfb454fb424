//go:build amd64 || arm64

package broker

import (
	"net/netip"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/network"
)

// sockets are the customer that makes the network calls of a run for it: on the caller's own
// socket, with a copy of the address. Nothing is looked at twice, so there is nothing to swap in
// between.
type sockets struct {
	gate      *network.Gate
	log       *connectionLog
	work      *workers
	trees     *trees
	names     *nameService
	datagrams *datagrams
	unix      unixSockets
	narrowed  portSet
	least     int // the first port that takes no privilege
	first     func() int
	starts    *starts // nil where no rule depends on it
	starters  []string
}

// leastPort returns the first port that may be listened on without privilege. The run has none,
// whatever the launcher has.
func leastPort() int {
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_unprivileged_port_start")
	if err != nil {
		return 1024
	}
	n := 0
	for _, c := range text {
		if c >= '0' && c <= '9' {
			n = n*10 + int(c-'0')
		}
	}
	return n
}

// A portSet holds the ports whose IPv6 listener is at an IPv4 address.
type portSet struct {
	mu   sync.Mutex
	list map[uint16]bool
}

func (p *portSet) add(port uint16) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.list == nil {
		p.list = map[uint16]bool{}
	}
	p.list[port] = true
}

func (p *portSet) has(port uint16) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.list[port]
}

// hold takes hold of the socket in the first argument.
func (n *sockets) hold(c *call) (s socket, err error) {
	if s.fd, err = hold(c); err != nil {
		return s, err
	}
	if s.domain = n.datagrams.domain(s.fd); s.domain != 0 {
		s.standIn, s.kind = true, unix.SOCK_DGRAM
		return s, nil
	}
	if s.domain, err = unix.GetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_DOMAIN); err == nil {
		s.kind, err = unix.GetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_TYPE)
	}
	if err != nil {
		unix.Close(s.fd)
	}
	return s, err
}

// addressed takes hold of the socket and copies the address, once.
func (n *sockets) addressed(c *call) (s socket, err error) {
	var b [unix.SizeofSockaddrAny]byte
	size := int32(c.Args[2])
	if size < 2 || int(size) > len(b) {
		return s, unix.EINVAL
	}
	if err := c.read(c.Args[1], b[:size]); err != nil {
		return s, unix.EFAULT
	}
	if s, err = n.hold(c); err != nil {
		return s, err
	}
	if s.bytes = b[:size]; !s.internet() {
		return s, nil
	}
	if err := s.parse(b[:size]); err != nil {
		unix.Close(s.fd)
		return s, err
	}
	return s, nil
}

// entry begins the entry of something that the caller did.
func entry(c *call, kind string, at netip.AddrPort, host string) Connection {
	who := c.caller()
	return Connection{Time: time.Now(), Caller: who, Kind: kind, Address: plain(at), Host: host}
}

func (n *sockets) refused(c *call, kind string, to netip.AddrPort, v network.Verdict) {
	e := entry(c, kind, to, v.Host)
	e.Refusal = Refusal{Refused: true, Why: v.Why, Fix: v.Fix}
	n.log.add(e)
}

// plain writes an address as people do: one of IPv4 as such, whatever socket it was for.
func plain(at netip.AddrPort) string {
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port()).String()
}
