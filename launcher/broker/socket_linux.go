//go:build amd64 || arm64

package broker

import (
	"encoding/binary"
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/network"
)

// sockType are the bits of a socket's type without SOCK_CLOEXEC and SOCK_NONBLOCK.
const sockType = 0xf

// A socket is one of the caller's, as the broker holds it for the time of one call, and the address
// that goes with it. What the caller puts under the number later is another one.
type socket struct {
	fd      int
	domain  int
	kind    int
	family  uint16
	addr    netip.AddrPort
	zone    uint32
	standIn bool   // for a UDP socket; see datagrams
	bytes   []byte // the whole address, as the caller wrote it
}

// hold takes hold of the socket in the first argument of a call.
func hold(c *call) (fd int, err error) {
	pid, err := c.pidfd()
	if err != nil {
		return -1, unix.ESRCH
	}
	defer unix.Close(pid)
	if fd, err = unix.PidfdGetfd(pid, int(int32(c.Args[0])), 0); err != nil {
		return -1, err
	}
	if !c.waits() {
		unix.Close(fd)
		return -1, unix.ESRCH
	}
	return fd, nil
}

// finish answers, and lets go of the socket.
func (s *socket) finish(c *call, err error) {
	unix.Close(s.fd)
	c.reply(err)
}

// blocks reports whether calls on the socket wait.
func (s *socket) blocks() bool {
	flags, err := unix.FcntlInt(uintptr(s.fd), unix.F_GETFL, 0)
	return err != nil || flags&unix.O_NONBLOCK == 0
}

// internet reports whether it is a socket of the kinds that lead to other machines.
func (s *socket) internet() bool { return s.domain == unix.AF_INET || s.domain == unix.AF_INET6 }

// parse reads a socket address, as the kernel would for this socket.
func (s *socket) parse(b []byte) error {
	s.family = uint16(b[0]) | uint16(b[1])<<8 // both architectures are little-endian
	port := func() uint16 { return binary.BigEndian.Uint16(b[2:]) }
	switch {
	case s.family == unix.AF_UNSPEC:
	case s.family == unix.AF_INET && len(b) >= unix.SizeofSockaddrInet4:
		s.addr = netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[4:8])), port())
	case s.family == unix.AF_INET6 && len(b) >= unix.SizeofSockaddrInet6-4:
		s.addr = netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[8:24])), port())
		if len(b) >= unix.SizeofSockaddrInet6 {
			s.zone = binary.LittleEndian.Uint32(b[24:])
		}
	case s.family == unix.AF_INET || s.family == unix.AF_INET6:
		return unix.EINVAL
	default:
		return unix.EAFNOSUPPORT
	}
	return nil
}

// receiver reads an address as the kernel does when packets are sent: an address without a family
// counts as one of IPv4 for a socket of IPv4, and as none for a socket of IPv6.
func (s *socket) receiver(b []byte) (to netip.AddrPort, ok bool) {
	if len(b) < 2 {
		return to, false
	}
	if binary.NativeEndian.Uint16(b) == unix.AF_UNSPEC && s.domain == unix.AF_INET {
		binary.NativeEndian.PutUint16(b, unix.AF_INET)
	}
	if s.parse(b) != nil || s.family == unix.AF_UNSPEC {
		return to, false
	}
	return s.addr, true
}

// sockaddr is an address for a call on the socket, in the family that the caller used.
func (s *socket) sockaddr(addr netip.AddrPort) unix.Sockaddr {
	if s.family == unix.AF_INET6 {
		return &unix.SockaddrInet6{Port: int(addr.Port()), Addr: addr.Addr().As16(), ZoneId: s.zone}
	}
	return network.Sockaddr(addr)
}

// dual reports whether an IPv6 socket takes IPv4 too. A server that means both at all addresses
// gets IPv4 on the loopback: programs that try one address of "localhost" try the other too, and
// people who write an address write 127.0.0.1.
func (s *socket) dual() bool {
	only, err := unix.GetsockoptInt(s.fd, unix.SOL_IPV6, unix.IPV6_V6ONLY)
	return err == nil && only == 0
}

// local is the address of this side.
func (s *socket) local() netip.AddrPort {
	sa, err := unix.Getsockname(s.fd)
	if err != nil {
		return netip.AddrPort{}
	}
	return addrPort(sa)
}

// disconnect is connect with AF_UNSPEC: the socket is as new.
func (s *socket) disconnect() error {
	var sa unix.RawSockaddrInet4
	_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(s.fd), uintptr(unsafe.Pointer(&sa)),
		unix.SizeofSockaddrInet4)
	if errno != 0 {
		return errno
	}
	return nil
}

// ownNetwork reports whether the socket is in the network that the run has for itself: the
// caller's, and not the launcher's.
func (s *socket) ownNetwork(c *call) bool {
	fd, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(s.fd), unix.SIOCGSKNS, 0)
	if errno != 0 {
		return false
	}
	defer unix.Close(int(fd))
	var its, ours, callers unix.Stat_t
	if unix.Fstat(int(fd), &its) != nil || unix.Stat("/proc/self/ns/net", &ours) != nil ||
		unix.Stat(c.process()+"ns/net", &callers) != nil {
		return false
	}
	return its.Ino != ours.Ino && its.Ino == callers.Ino && its.Dev == callers.Dev
}

func addrPort(sa unix.Sockaddr) netip.AddrPort {
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(sa.Addr), uint16(sa.Port))
	}
	return netip.AddrPort{}
}

// mapped is an address of IPv4 as a socket of IPv6 has it.
func mapped(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom16(a.Addr().As16()), a.Port())
}

// mappedLoopback is 127.0.0.1, so.
func mappedLoopback(port uint16) netip.AddrPort {
	return mapped(netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port))
}
