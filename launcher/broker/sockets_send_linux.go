//go:build amd64 || arm64

package broker

import (
	"encoding/binary"
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/network"
)

// A packet that is sent without connecting names its receiver in the call. The sandbox does not
// depend on the answer: the packet leads nowhere but to the name servers, and at strong to the run
// itself. The broker is asked so that the record has the destination, and the program gets its
// error at once, the same at both levels. The kernel itself makes allowed calls, and every call on
// other sockets: whatever is swapped in between, nothing else is reached.

// maxMessages is how many messages the kernel takes in one call (UIO_MAXIOV), and mmsghdrSize what
// each takes in the caller's memory.
const (
	maxMessages = 1024
	mmsghdrSize = msghdrSize + 8
)

// send answers the calls that may name a receiver. One that leads nowhere refuses the whole call,
// and nothing of it is sent.
func (n *sockets) send(c *call) {
	named := receivers(c)
	if len(named) == 0 {
		c.proceed()
		return
	}
	s, err := n.hold(c)
	if err != nil {
		c.proceed() // the kernel says what is wrong
		return
	}
	var lost []netip.AddrPort
	if s.internet() && s.kind == unix.SOCK_DGRAM && (s.standIn || s.ownNetwork(c)) {
		for _, b := range named {
			if to, ok := s.receiver(b); ok && !n.delivers(&s, to) {
				lost = append(lost, to)
			}
		}
	}
	if len(lost) > 0 {
		n.unreachable(c, &s, false, lost...)
		return
	}
	unix.Close(s.fd)
	c.proceed()
}

// unreachable refuses packets to some addresses, and notes them by name; those to hosts that may be
// reached are passed over if the caller may only order addresses.
func (n *sockets) unreachable(c *call, s *socket, mayOrder bool, list ...netip.AddrPort) {
	work := func() {
		for _, to := range list {
			v := n.gate.Connect(n.work.ctx, to)
			if _, asks := n.gate.Wants(to); !v.OK && !v.Vacant && !asks || !mayOrder {
				v = network.Verdict{Host: v.Host, Why: "UDP is not available in the sandbox"}
				n.refused(c, "udp", to, v)
			}
		}
		s.finish(c, unix.ENETUNREACH)
	}
	if slices.ContainsFunc(list, func(to netip.AddrPort) bool { return !n.gate.Instant(to) }) {
		n.work.beside(work)
		return
	}
	work()
}

// discard is the port to which Go's resolver looks for a way.
const discard = 9

// mayOrder reports whether a connect may be a resolver's that puts addresses in order (RFC 6724)
// and sends nothing. Those of the C libraries block; clients of QUIC do not.
func (s *socket) mayOrder() bool { return s.blocks() || s.addr.Port() == discard }

// receivers copies the addresses that a call names, each once. Of a call that cannot be read the
// kernel says so.
func receivers(c *call) (list [][]byte) {
	add := func(at uint64, size uint32) {
		if at == 0 {
			return
		}
		b := make([]byte, min(size, unix.SizeofSockaddrInet6))
		if c.read(at, b) == nil {
			list = append(list, b)
		}
	}
	if c.Nr == unix.SYS_SENDTO {
		add(c.Args[4], uint32(c.Args[5]))
		return list
	}
	count, stride := 1, msghdrSize
	if c.Nr == unix.SYS_SENDMMSG {
		count, stride = int(min(uint32(c.Args[2]), maxMessages)), mmsghdrSize
	}
	for i := range count {
		var head [msghdrParts]byte
		if c.read(c.Args[1]+uint64(i*stride), head[:]) != nil {
			break
		}
		order := binary.NativeEndian
		add(order.Uint64(head[0:]), order.Uint32(head[msghdrNameSize:]))
	}
	return list
}

// delivers reports whether a packet may arrive: at a name server, and in a network of the run's own
// at the run itself.
func (n *sockets) delivers(s *socket, to netip.AddrPort) bool {
	if n.names.serves(to) {
		return true
	}
	addr := to.Addr().Unmap()
	if s.standIn {
		return false
	}
	for _, server := range n.names.servers {
		if server.Addr().Unmap() == addr {
			return true
		}
	}
	return addr.IsLoopback() || addr.IsUnspecified()
}
