//go:build amd64 || arm64

package broker

import (
	"net/netip"

	"golang.org/x/sys/unix"
)

// bind gives a socket its address, if the run may be reached there.
func (n *sockets) bind(c *call) {
	s, err := n.addressed(c)
	if err != nil {
		c.reply(err)
		return
	}
	defer unix.Close(s.fd)
	if !s.internet() {
		// A Unix socket gets a name where the run may write (Landlock), a netlink socket its
		// number, as getifaddrs(3) wants it. A TCP socket that is put in its place in between may
		// not be bound (Landlock 4), and its address is checked again when it listens.
		if s.domain == unix.AF_UNIX {
			n.bindUnix(c, &s)
		} else {
			c.proceed()
		}
		return
	}
	c.reply(n.bindTo(c, &s))
}

// bindUnix gives a Unix socket its name, beside where the kernel has not all of that in memory.
func (n *sockets) bindUnix(c *call, s *socket) {
	name := cString(s.bytes[2:])
	if n.nameUnix(c, s.fd, name, resolveCached) != errSlow {
		return
	}
	own, err := unix.FcntlInt(uintptr(s.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		c.reply(err)
		return
	}
	n.work.beside(func() {
		defer unix.Close(own)
		_ = n.nameUnix(c, own, name, 0)
	})
}

// nameUnix answers the call that gives a Unix socket its name, and announces it where the kernel
// makes the file: elsewhere than in a shared directory. With cached the error may be errSlow, and
// then nothing was done.
func (n *sockets) nameUnix(c *call, socket int, name string, cached uint64) error {
	if done, err := n.unix.files.bind(c, socket, name, cached); done || err != nil {
		return err
	}
	if err := n.unix.changes.bound(c, name, cached); err != nil {
		return err
	}
	c.proceed()
	return nil
}

func (n *sockets) bindTo(c *call, s *socket) error {
	switch {
	case s.standIn && s.addr.Addr().IsUnspecified() && s.addr.Port() == 0:
		return nil // as a resolver does before it asks
	case s.standIn:
		return unix.EACCES
	case s.family == unix.AF_UNSPEC && s.domain == unix.AF_INET: // for old programs; see bind(2)
		s.family = unix.AF_INET
		s.addr = netip.AddrPortFrom(netip.IPv4Unspecified(), 0)
	case s.family == unix.AF_UNSPEC:
		return unix.EAFNOSUPPORT
	}
	if s.kind == unix.SOCK_DGRAM { // of the run's own network
		return unix.Bind(s.fd, s.sockaddr(s.addr))
	}
	at, v := n.gate.Bind(s.addr)
	if !v.OK {
		n.refused(c, "listen", s.addr, v)
		return unix.EACCES
	}
	// A published port was named by a person, which is more than a privilege.
	published := at == s.addr && !at.Addr().Unmap().IsLoopback()
	if port := int(at.Port()); port != 0 && port < n.least && !published {
		return unix.EACCES
	}
	narrow := at != s.addr && s.domain == unix.AF_INET6 && s.dual()
	if narrow {
		at = mappedLoopback(at.Port())
	}
	if n.gate.Taken(at.Port()) {
		return unix.EADDRINUSE
	}
	if err := unix.Bind(s.fd, s.sockaddr(at)); err != nil {
		return err
	}
	if narrow {
		n.narrowed.add(s.local().Port())
	}
	return nil
}

// listen starts to take connections. A socket without an address gets one here, as the kernel would
// give it one, and it would be reachable from everywhere.
func (n *sockets) listen(c *call) {
	s, err := n.hold(c)
	if err != nil {
		c.reply(err)
		return
	}
	if s.domain == unix.AF_UNIX {
		n.listenUnix(c, &s)
		return
	}
	if s.standIn || !s.internet() {
		s.finish(c, unix.EOPNOTSUPP)
		return
	}
	s.finish(c, n.listenInternet(c, &s))
}

func (n *sockets) listenInternet(c *call, s *socket) error {
	at := s.local()
	if at.Port() == 0 && s.kind == unix.SOCK_STREAM {
		s.family, s.addr = uint16(s.domain), at
		if err := n.bindTo(c, s); err != nil {
			return err
		}
		at = s.local()
	}
	// A connect that failed may have left an address that means the whole machine.
	_, v := n.gate.Bind(at)
	if !v.OK || at.Addr().IsUnspecified() && !n.published(at.Port()) {
		n.refused(c, "listen", at, v)
		return unix.EACCES
	}
	n.log.watch() // before the first connection
	if cookie, err := unix.GetsockoptUint64(s.fd, unix.SOL_SOCKET, unix.SO_COOKIE); err == nil {
		n.gate.Serves(cookie)
	}
	if err := unix.Listen(s.fd, int(int32(c.Args[1]))); err != nil {
		return err
	}
	// A connect under way, which ended in between, can have taken the address away, and another
	// program the port.
	if now := s.local(); now.Addr() != at.Addr() || n.gate.Taken(at.Port()) {
		_ = unix.Shutdown(s.fd, unix.SHUT_RDWR) // it takes no connections any more
		return unix.EADDRNOTAVAIL
	}
	n.log.listening(entry(c, "listen", at, v.Host), at.Port())
	return nil
}

func (n *sockets) published(port uint16) bool {
	at, v := n.gate.Bind(netip.AddrPortFrom(netip.IPv4Unspecified(), port))
	return v.OK && at.Addr().IsUnspecified()
}
