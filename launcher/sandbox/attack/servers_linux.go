//go:build amd64 || arm64

package attack

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// publics are attacks by which a run serves other machines, or in the place of other programs, and
// by which it connects by another spelling of an address.
var publics = []Attack{
	{Name: "serve other machines", near: true, try: func(World) error {
		return serveAll(unix.AF_INET, &unix.SockaddrInet4{})
	}},
	{Name: "serve other machines, IPv6", near: true, try: func(World) error {
		return serveAll(unix.AF_INET6, &unix.SockaddrInet6{})
	}},
	{Name: "serve other machines, IPv4 in IPv6", near: true, try: func(World) error {
		return serveAll(unix.AF_INET6,
			&unix.SockaddrInet6{Addr: [16]byte{10: 0xff, 11: 0xff}})
	}},
	{Name: "serve other machines without an address", near: true, try: func(World) error {
		return serveAll(unix.AF_INET, nil)
	}},
	{Name: "serve other machines without an address, IPv6", near: true, try: func(World) error {
		return serveAll(unix.AF_INET6, nil)
	}},
	{Name: "serve other machines by an address without a family", near: true,
		try: func(World) error {
			fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
			if err != nil {
				return err
			}
			if err := call(unix.SYS_BIND, uintptr(fd),
				uintptr(unsafe.Pointer(&unix.RawSockaddrInet4{})), 16); err != nil {
				return err
			}
			return isPublic(fd)
		}},
	{Name: "serve other machines after a connection", near: true, try: func(w World) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		_ = connect(fd, sockaddr(w.Friend))
		if err := connect(fd, &unix.RawSockaddrInet4{Family: unix.AF_UNSPEC}); err != nil {
			return err
		}
		return isPublic(fd)
	}},
	{Name: "serve at an abstract name outside", near: true, try: func(w World) error {
		if err := listenAt("@" + w.Abstract + "/taken"); err != nil {
			return err
		}
		return abstractSeen(w)
	}},
	{Name: "fast open by sendmmsg", try: fastOpenMany},
	{Name: "fast open by option, high bits", try: func(w World) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		one := int32(1)
		if err := call(unix.SYS_SETSOCKOPT, uintptr(fd), 1<<32|unix.SOL_TCP,
			1<<32|unix.TCP_FASTOPEN_CONNECT, uintptr(unsafe.Pointer(&one)), 4); err != nil {
			return err
		}
		return connect(fd, sockaddr(w.TCP))
	}},
	{Name: "the unspecified address, IPv4 in IPv6", try: func(w World) error {
		return connectSix(w.TCP, [16]byte{10: 0xff, 11: 0xff})
	}},
	{Name: "another address of the loopback", try: func(w World) error {
		address, err := serveEverywhere(w)
		if err != nil {
			return err
		}
		address.Addr = [4]byte{127, 1, 2, 3}
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return connect(fd, address)
	}},
	{Name: "IPv6 socket made one of IPv4", try: func(w World) error {
		fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		six := mapped(sockaddr(w.Friend))
		if err := call(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(six)),
			unix.SizeofSockaddrInet6); err != nil {
			return err
		}
		if err := unix.SetsockoptInt(fd, unix.SOL_IPV6, unix.IPV6_ADDRFORM,
			unix.AF_INET); err != nil {
			return err
		}
		if err := connect(fd, &unix.RawSockaddrInet4{Family: unix.AF_UNSPEC}); err != nil {
			return err
		}
		return connect(fd, sockaddr(w.TCP))
	}},
	{Name: "address longer than it is", try: func(w World) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		var long [128]byte
		*(*unix.RawSockaddrInet4)(unsafe.Pointer(&long)) = *sockaddr(w.TCP)
		return call(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&long)), 128)
	}},
	{Name: "address length of high bits", try: func(w World) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return call(unix.SYS_CONNECT, 1<<32|uintptr(fd),
			uintptr(unsafe.Pointer(sockaddr(w.TCP))), 1<<32|16)
	}},
	{Name: "smc", try: func(World) error {
		return call(unix.SYS_SOCKET, 43, unix.SOCK_STREAM, 0) // AF_SMC
	}},
	{Name: "udp lite", try: func(World) error {
		return call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_UDPLITE)
	}},
	{Name: "ping socket of a user", try: func(World) error {
		return call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_ICMP)
	}},
	{Name: "packets past the kernel", Root: true, try: func(World) error {
		return call(unix.SYS_SOCKET, unix.AF_XDP, unix.SOCK_RAW, 0)
	}},
	{Name: "keys of the network", Root: true, try: func(World) error {
		return call(unix.SYS_SOCKET, unix.AF_KEY, unix.SOCK_RAW, 2)
	}},
}

// serveAll listens at an address, or without one.
func serveAll(family int, at unix.Sockaddr) error {
	fd, err := unix.Socket(family, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	if at != nil {
		if err := unix.Bind(fd, at); err != nil {
			return err
		}
	}
	return isPublic(fd)
}

// isPublic listens, and reports whether other machines could connect.
func isPublic(fd int) error {
	if err := unix.Listen(fd, 1); err != nil {
		return err
	}
	sa, err := unix.Getsockname(fd)
	if err != nil {
		return err
	}
	switch at := sa.(type) {
	case *unix.SockaddrInet4:
		if at.Addr[0] != 127 {
			return nil
		}
	case *unix.SockaddrInet6:
		if at.Addr != [16]byte{15: 1} && at.Addr[12] != 127 {
			return nil
		}
	}
	return fmt.Errorf("only this machine: %v", sa)
}

// abstractSeen reports whether a name that was taken is the machine's.
func abstractSeen(w World) error {
	if here, err := os.Readlink("/proc/self/ns/net"); err != nil || here != w.Network {
		return fmt.Errorf("in a network of its own: %v", err)
	}
	return nil
}

func fastOpenMany(w World) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	b := [1]byte{'x'}
	to, part := sockaddr(w.TCP), unix.Iovec{Base: &b[0], Len: 1}
	m := struct {
		header unix.Msghdr
		sent   uint64
	}{header: unix.Msghdr{Name: (*byte)(unsafe.Pointer(to)), Namelen: 16, Iov: &part, Iovlen: 1}}
	if err := call(unix.SYS_SENDMMSG, uintptr(fd), uintptr(unsafe.Pointer(&m)), 1,
		unix.MSG_FASTOPEN); err != nil {
		return err
	}
	_, err = unix.Read(fd, b[:])
	return err
}

// connectSix connects to a port by an address of IPv6.
func connectSix(server string, address [16]byte) error {
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	six := &unix.RawSockaddrInet6{Family: unix.AF_INET6, Port: sockaddr(server).Port,
		Addr: address}
	return call(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(six)),
		unix.SizeofSockaddrInet6)
}

// serveEverywhere returns the address of the server that means all addresses.
func serveEverywhere(w World) (*unix.RawSockaddrInet4, error) {
	if w.Everywhere == "" {
		return nil, unix.EADDRNOTAVAIL
	}
	return sockaddr(w.Everywhere), nil
}
