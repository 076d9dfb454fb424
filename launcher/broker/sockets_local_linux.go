//go:build amd64 || arm64

package broker

import (
	"net/netip"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/network"
)

// narrow is where a connection to the loopback address of IPv6 leads: a server of the run for all
// addresses of both families is at that of IPv4.
func (n *sockets) narrow(s *socket) netip.AddrPort {
	six := s.addr.Addr() == netip.IPv6Loopback() && s.domain == unix.AF_INET6
	if six && n.narrowed.has(s.addr.Port()) && s.dual() {
		return mappedLoopback(s.addr.Port())
	}
	return s.addr
}

// vacant refuses a connection to a port of this machine where nothing listens, as the kernel would:
// programs try until their server is there.
func (n *sockets) vacant(c *call, to netip.AddrPort, v network.Verdict) error {
	e := entry(c, "tcp", to, v.Host)
	e.Sent, e.Received, e.Error = -1, -1, unix.ECONNREFUSED.Error()
	n.log.add(e)
	return unix.ECONNREFUSED
}

// settling is how long a server of this machine has to take a connection of a socket that does not
// wait for it. The kernel makes them at once unless the server lets too many wait.
const settling = 1000 // milliseconds

// settle keeps a connection to a server of this machine only where that listens still: another
// program can have taken its place between the look and the connection.
func (n *sockets) settle(s *socket, to netip.AddrPort, v network.Verdict, err error) error {
	if v.Sockets == nil || err != nil && err != unix.EINPROGRESS {
		return err
	}
	poll := []unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLOUT}}
	if ready, _ := unix.Poll(poll, settling); err != nil && ready == 0 {
		_ = s.disconnect()
		return unix.ETIMEDOUT
	}
	if !n.gate.Still(to, v.Sockets) {
		_ = s.disconnect()
		return unix.ECONNREFUSED
	}
	return err
}
