//go:build amd64 || arm64

package broker

import (
	"net/netip"

	"golang.org/x/sys/unix"
)

// connect connects a socket, if the run may reach the address.
func (n *sockets) connect(c *call) {
	s, err := n.addressed(c)
	if err != nil {
		c.reply(err)
		return
	}
	switch {
	case s.domain == unix.AF_UNIX:
		n.connectUnix(c, &s)
		return
	case !s.internet():
		s.finish(c, unix.EACCES)
		return
	}
	blocks := s.blocks()
	switch {
	case s.standIn:
		n.connectStandIn(c, &s)
	case s.family == unix.AF_UNSPEC:
		err := s.disconnect()
		s.finish(c, err)
	case s.kind != unix.SOCK_STREAM: // of the run's own network: the name servers and nothing else
		if err := unix.Connect(s.fd, s.sockaddr(s.addr)); err == unix.ENETUNREACH {
			n.unreachable(c, &s, s.mayOrder(), s.addr)
		} else {
			s.finish(c, err)
		}
	case !blocks && n.gate.Instant(s.addr):
		c.reply(n.reach(c, &s, false))
		unix.Close(s.fd)
	default:
		n.work.beside(func() {
			c.reply(n.reach(c, &s, blocks))
			unix.Close(s.fd)
		})
	}
}

// reach connects, and returns what connect(2) returns.
func (n *sockets) reach(c *call, s *socket, blocks bool) error {
	if n.names.serves(s.addr) {
		return n.reachNames(c, s, blocks)
	}
	to := n.narrow(s)
	v, list := n.mayUse(c, n.gate.Connect(n.work.ctx, to)), []netip.AddrPort{to}
	if v.Vacant {
		return n.vacant(c, to, v)
	}
	if !v.OK {
		w, asks := n.gate.Wants(to)
		if !asks {
			n.refused(c, "tcp", to, v)
			return unix.EACCES
		}
		var err error
		if list, v, err = n.asked(c, s, w); err != nil {
			return err
		}
	}
	cookie, _ := unix.GetsockoptUint64(s.fd, unix.SOL_SOCKET, unix.SO_COOKIE)
	n.log.watch()
	to, err := n.dialAny(c, s, list, blocks)
	err = n.settle(s, to, v, err)
	if err == unix.EISCONN || err == unix.EALREADY || n.log.knows(cookie) {
		return err
	}
	e := entry(c, "tcp", to, v.Host)
	e.Sent, e.Received = -1, -1
	if err != nil && err != unix.EINPROGRESS {
		e.Error = err.Error()
	}
	n.log.connected(e, cookie)
	return err
}

// reachNames connects a socket to the broker's own server of names. The caller sees another address
// than it asked for, and does not mind.
func (n *sockets) reachNames(c *call, s *socket, blocks bool) error {
	six := s.domain == unix.AF_INET6 && !s.dual()
	l, err := n.names.stream(six)
	if err != nil {
		return unix.ECONNREFUSED
	}
	to := l.at
	if s.domain == unix.AF_INET6 && !six {
		to = mapped(to)
	}
	l.mu.Lock() // until the address is known that it comes from
	defer l.mu.Unlock()
	err = n.dial(c, s, to, blocks)
	from := s.local()
	l.expected[netip.AddrPortFrom(from.Addr().Unmap(), from.Port())] = true
	return err
}

// connectStandIn answers for a stand-in: where the name servers are, it is connected already.
func (n *sockets) connectStandIn(c *call, s *socket) {
	if s.family != unix.AF_UNSPEC && !n.names.serves(s.addr) {
		n.unreachable(c, s, s.mayOrder(), s.addr)
		return
	}
	n.datagrams.connect(s.fd, s.addr) // none with AF_UNSPEC
	s.finish(c, nil)
}
