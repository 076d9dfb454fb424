//go:build amd64 || arm64

package broker

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Resolvers check where an answer comes from, and drop it if they have not asked there. The kernel
// has no such address for a stand-in, so at base the calls that report one (recvfrom with an
// address, recvmsg, recvmmsg, getsockname, getpeername) are passed to the broker. For a stand-in
// the broker makes them, and writes the packet and the name server's address into the caller's
// memory; for every other socket the kernel proceeds, which is harmless whatever is swapped in
// between: the caller receives with its own rights.

// standIn takes hold of the socket if it is a stand-in; the kernel proceeds with every other.
func (n *sockets) standIn(c *call) (s socket, ok bool) {
	s, err := n.hold(c)
	if err == nil && !s.standIn {
		unix.Close(s.fd)
	}
	if err != nil || !s.standIn {
		c.proceed() // the kernel says what is wrong
		return s, false
	}
	return s, true
}

// option answers setsockopt(2) for an option of IP that is harmless: glibc does not go on with a
// socket that does not tell of errors (IP_RECVERR).
func (n *sockets) option(c *call) {
	if s, ok := n.standIn(c); ok {
		s.finish(c, nil)
	}
}

// receive answers the calls that receive.
func (n *sockets) receive(c *call) {
	s, ok := n.standIn(c)
	if !ok {
		return
	}
	m, err := readMessage(c)
	if err != nil {
		s.finish(c, err)
		return
	}
	got, err := n.receiveInto(c, &s, m)
	if err != unix.EAGAIN || !s.blocks() || m.flags&unix.MSG_DONTWAIT != 0 {
		c.result(got, err)
		unix.Close(s.fd)
		return
	}
	n.work.beside(func() {
		w := newWait(n.work.ctx, c, s.fd, unix.SO_RCVTIMEO)
		if got, err = 0, w.until(unix.POLLIN, unix.EAGAIN); err == nil {
			got, err = n.receiveInto(c, &s, m)
		}
		c.result(got, err)
		unix.Close(s.fd)
	})
}

// receiveInto receives one packet, if there is one, and gives it to the caller.
func (n *sockets) receiveInto(c *call, s *socket, m message) (int, error) {
	w, err := c.writer()
	if err != nil {
		return 0, err
	}
	defer w.file.Close()
	packet := make([]byte, maxPacket)
	got, _, err := unix.Recvfrom(s.fd, packet, m.flags&unix.MSG_PEEK|unix.MSG_DONTWAIT)
	if err != nil {
		return 0, err
	}
	rest := packet[:min(got, m.size)]
	for _, p := range m.parts {
		n := min(p.Len, len(rest))
		w.put(uint64(p.Base), rest[:n])
		rest = rest[n:]
	}
	flags := 0
	if got > m.size {
		flags = unix.MSG_TRUNC
	}
	w.address(m.name, n.datagrams.peer(s.fd))
	w.long(m.controlAt, 0)
	w.int(m.flagsAt, uint32(flags))
	size := min(got, m.size)
	if m.flags&unix.MSG_TRUNC != 0 {
		size = got
	}
	if m.countAt != 0 {
		w.int(m.countAt, uint32(size))
		size = 1
	}
	return size, w.err
}

// name answers getsockname(2) and getpeername(2).
func (n *sockets) name(c *call) {
	s, ok := n.standIn(c)
	if !ok {
		return
	}
	room, err := c.number(c.Args[2])
	if err != nil {
		s.finish(c, err)
		return
	}
	at := n.datagrams.peer(s.fd)
	if c.Nr == unix.SYS_GETSOCKNAME {
		at = unspecified(at)
	}
	w, err := c.writer()
	if err == nil {
		w.address(place{c.Args[1], c.Args[2], room}, at)
		w.file.Close()
		err = w.err
	}
	s.finish(c, err)
}

// unspecified is the address that is none, of the same family.
func unspecified(a netip.AddrPort) netip.AddrPort {
	if a.Addr().Is4() {
		return netip.AddrPortFrom(netip.IPv4Unspecified(), 0)
	}
	return netip.AddrPortFrom(netip.IPv6Unspecified(), 0)
}

// address writes a socket address, as much of it as there is room for, and how long it is.
func (w *writer) address(to place, a netip.AddrPort) {
	family, b := unix.AF_INET, a.Addr().AsSlice()
	if a.Addr().Is6() {
		family = unix.AF_INET6
		b = append(make([]byte, 4, 24), append(b, 0, 0, 0, 0)...) // flow before, zone behind
	} else {
		b = append(b, make([]byte, 8)...)
	}
	head := binary.NativeEndian.AppendUint16(nil, uint16(family))
	b = append(binary.BigEndian.AppendUint16(head, a.Port()), b...)
	if to.at != 0 {
		w.put(to.at, b[:min(int(to.room), len(b))])
	}
	w.int(to.sizeAt, uint32(len(b)))
}
