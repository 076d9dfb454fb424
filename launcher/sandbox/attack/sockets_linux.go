//go:build amd64 || arm64

package attack

import (
	"errors"
	"net"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// sockets are attacks through sockets.
var sockets = []Attack{
	{Name: "tcp connect", try: func(w World) error { return echo("tcp", w.TCP) }},
	{Name: "udp", try: func(w World) error { return echo("udp", w.UDP) }},
	{Name: "tcp fast open", try: fastOpen},
	{Name: "mptcp", try: func(w World) error {
		return connectTCP(w, unix.AF_INET, unix.IPPROTO_MPTCP)
	}},
	{Name: "unix path socket", try: func(w World) error { return echo("unix", w.Unix) }},
	{Name: "unix abstract socket", try: func(w World) error {
		return echo("unix", "@"+w.Abstract)
	}},
	{Name: "connected socket from outside, by path",
		try: func(w World) error { return given(w.Giver) }},
	{Name: "connected socket from outside, by abstract name",
		try: func(w World) error { return given("@" + w.Giver) }},
	{Name: "unix socket, high bits", try: func(w World) error {
		return connectLocal(1<<32|unix.AF_UNIX, unix.SOCK_STREAM, w.Unix)
	}},
	{Name: "datagram pair to path", try: func(w World) error {
		p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Connect(p[0], &unix.SockaddrUnix{Name: w.Datagram})
	}},
	{Name: "raw socket", Root: true, try: func(World) error {
		return call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)
	}},
	{Name: "packet socket", Root: true, try: func(World) error {
		return call(unix.SYS_SOCKET, unix.AF_PACKET, unix.SOCK_RAW, 0x300)
	}},
	{Name: "vsock", try: func(World) error {
		return call(unix.SYS_SOCKET, unix.AF_VSOCK, unix.SOCK_STREAM, 0)
	}},
	{Name: "netlink uevent", try: func(World) error {
		return call(unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT)
	}},
	{Name: "netlink generic", try: func(World) error {
		return call(unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_GENERIC)
	}},
	{Name: "io_uring", try: func(World) error {
		var params [120]byte
		return call(unix.SYS_IO_URING_SETUP, 4, uintptr(unsafe.Pointer(&params)))
	}},
	{Name: "tcp fast open by sendmsg", try: fastOpenMsg},
	{Name: "tcp fast open by option", try: func(w World) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		if err := unix.SetsockoptInt(fd, unix.SOL_TCP, unix.TCP_FASTOPEN_CONNECT, 1); err != nil {
			return err
		}
		return call(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(sockaddr(w.TCP))), 16)
	}},
	{Name: "listen", Lost: sandbox.Protection("none"), serves: true,
		try: func(w World) error { return reachable(w) }},
	{Name: "kernel crypto socket", try: func(World) error {
		return call(unix.SYS_SOCKET, unix.AF_ALG, unix.SOCK_SEQPACKET, 0)
	}},
	{Name: "vsock connect", try: func(World) error {
		fd, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		err = unix.Connect(fd, &unix.SockaddrVM{CID: unix.VMADDR_CID_HOST, Port: 1})
		if err == unix.ECONNRESET || err == unix.ECONNREFUSED || err == unix.ENODEV ||
			err == unix.ETIMEDOUT {
			return nil // the call got as far as the other side
		}
		return err
	}},
	{Name: "sctp", try: func(World) error {
		return call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP)
	}},
	{Name: "ping socket", Root: true, try: func(World) error {
		return call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)
	}},
	{Name: "netlink socket diagnosis", try: func(World) error {
		return call(unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_SOCK_DIAG)
	}},
	{Name: "netlink audit", try: func(World) error {
		return call(unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT)
	}},
	{Name: "netlink netfilter", try: func(World) error {
		return call(unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER)
	}},
	{Name: "change routes", Root: true, try: addAddress},
	{Name: "unix socket, 32-bit type trick", try: func(w World) error {
		return connectLocal(unix.AF_UNIX, 1<<40|unix.SOCK_STREAM, w.Unix)
	}},
	{Name: "unix datagrams", try: func(World) error {
		return call(unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	}},
	{Name: "io_uring socket", try: func(World) error {
		var params [120]byte
		return call(unix.SYS_IO_URING_SETUP, 8, uintptr(unsafe.Pointer(&params)))
	}},
}

func echo(network, address string) error {
	c, err := net.DialTimeout(network, address, 2*time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(2 * time.Second))
	if _, err := c.Write([]byte("x")); err != nil {
		return err
	}
	_, err = c.Read(make([]byte, 1))
	return err
}

func sockaddr(address string) *unix.RawSockaddrInet4 {
	tcp, _ := net.ResolveTCPAddr("tcp4", address)
	sa := &unix.RawSockaddrInet4{Family: unix.AF_INET, Port: uint16(tcp.Port>>8 | tcp.Port&0xff<<8)}
	copy(sa.Addr[:], tcp.IP.To4())
	return sa
}

// mapped is an IPv4 address as a socket of IPv6 has it.
func mapped(four *unix.RawSockaddrInet4) *unix.RawSockaddrInet6 {
	six := &unix.RawSockaddrInet6{Family: unix.AF_INET6, Port: four.Port}
	six.Addr[10], six.Addr[11] = 0xff, 0xff
	copy(six.Addr[12:], four.Addr[:])
	return six
}

func fastOpen(w World) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	b := [1]byte{'x'}
	if err := call(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(&b)), 1, unix.MSG_FASTOPEN,
		uintptr(unsafe.Pointer(sockaddr(w.TCP))), 16); err != nil {
		return err
	}
	_, err = unix.Read(fd, b[:])
	return err
}

func connectTCP(w World, family, protocol int) error {
	fd, err := unix.Socket(family, unix.SOCK_STREAM, protocol)
	if err != nil {
		return err
	}
	return call(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(sockaddr(w.TCP))), 16)
}

func fastOpenMsg(w World) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	b := [1]byte{'x'}
	to, part := sockaddr(w.TCP), unix.Iovec{Base: &b[0], Len: 1}
	m := unix.Msghdr{Name: (*byte)(unsafe.Pointer(to)), Namelen: 16, Iov: &part, Iovlen: 1}
	if err := call(unix.SYS_SENDMSG, uintptr(fd), uintptr(unsafe.Pointer(&m)),
		unix.MSG_FASTOPEN); err != nil {
		return err
	}
	_, err = unix.Read(fd, b[:])
	return err
}

// reachable listens where the launcher knows to look, and reports whether a connection came.
func reachable(w World) error {
	l, err := net.Listen("tcp4", w.Listen)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := l.(*net.TCPListener).SetDeadline(time.Now().Add(2 * time.Second)); err != nil {
		return err
	}
	c, err := l.Accept()
	if err == nil {
		c.Close()
	}
	return err
}

// addAddress gives the loopback another address, as NETLINK_ROUTE allows root to.
func addAddress(World) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	message := []byte{
		32, 0, 0, 0, unix.RTM_NEWADDR, 0, unix.NLM_F_REQUEST | unix.NLM_F_ACK,
		unix.NLM_F_CREATE >> 8, 1, 0, 0, 0, 0, 0, 0, 0,
		unix.AF_INET, 32, 0, 0, 1, 0, 0, 0, // ifaddrmsg: /32 on interface 1
		8, 0, unix.IFA_LOCAL, 0, 127, 9, 8, 7,
	}
	if err := unix.Sendto(fd, message, 0,
		&unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 128)
	n, err := unix.Read(fd, answer)
	if err != nil || n < 20 {
		return errors.Join(err, errors.New("no answer"))
	}
	code := -int32(uint32(answer[16]) | uint32(answer[17])<<8 | uint32(answer[18])<<16 |
		uint32(answer[19])<<24)
	if code != 0 && syscall.Errno(code) != unix.EEXIST {
		return syscall.Errno(code)
	}
	return nil
}
