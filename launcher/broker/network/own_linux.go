package network

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Own asks the kernel for the route to an address (rtnetlink(7)): the route to one of this
// machine's own does not leave it, on whatever interface it is. An address without a route belongs
// to another machine; if the kernel cannot be asked, it may be ours.
func (s Stub) Own(addr netip.Addr) bool {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return true
	}
	defer unix.Close(fd)
	if err := unix.Sendto(fd, askRoute(addr.Unmap()), 0,
		&unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return true
	}
	answer := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	const typeAt = unix.SizeofNlMsghdr + 7 // rtm_type
	switch kind := binary.NativeEndian.Uint16(answer[4:]); {
	case err != nil || n <= typeAt:
		return true
	case kind == unix.NLMSG_ERROR:
		code := -int32(binary.NativeEndian.Uint32(answer[unix.SizeofNlMsghdr:]))
		return unix.Errno(code) != unix.ENETUNREACH && unix.Errno(code) != unix.EHOSTUNREACH
	}
	return answer[typeAt] == unix.RTN_LOCAL
}

// askRoute is the message RTM_GETROUTE about one address.
func askRoute(addr netip.Addr) []byte {
	b, family := addr.AsSlice(), byte(unix.AF_INET)
	if addr.Is6() {
		family = unix.AF_INET6
	}
	size := unix.SizeofNlMsghdr + unix.SizeofRtMsg + unix.SizeofRtAttr + len(b)
	order := binary.NativeEndian
	m := order.AppendUint32(make([]byte, 0, size), uint32(size))
	m = order.AppendUint16(m, unix.RTM_GETROUTE)
	m = order.AppendUint16(m, unix.NLM_F_REQUEST)
	m = append(m, make([]byte, 8)...) // any number, no sender
	m = append(m, family, byte(8*len(b)))
	m = append(m, make([]byte, unix.SizeofRtMsg-2)...)
	m = order.AppendUint16(m, uint16(unix.SizeofRtAttr+len(b)))
	return append(order.AppendUint16(m, unix.RTA_DST), b...)
}
