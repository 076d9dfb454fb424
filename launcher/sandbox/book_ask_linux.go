//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// The request of sock_diag(7) for all TCP sockets of a family: struct inet_diag_req_v2.
const (
	diagByFamily   = 20
	diagRequest    = 56
	diagEveryState = 0xffffffff
)

// ask asks the kernel about the sockets that are left: who ends without closing leaves them behind until the other side has hung up,
// which a distant one does later than anybody would wait for. Where the kernel does not answer, the amounts stay unknown, and it returns false; else the sockets
// of which nothing is known yet are gone.
func (b *book) ask() (whole bool) {
	b.asked = map[uint64]bool{}
	b.mu.Unlock()
	defer b.mu.Lock()
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	patience := unix.NsecToTimeval(settle.Nanoseconds())
	if unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &patience) != nil {
		return false
	}
	for _, family := range [...]byte{unix.AF_INET, unix.AF_INET6} {
		request := make([]byte, unix.SizeofNlMsghdr+diagRequest)
		binary.NativeEndian.PutUint32(request, uint32(len(request)))
		binary.NativeEndian.PutUint16(request[4:], diagByFamily)
		binary.NativeEndian.PutUint16(request[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
		body := request[unix.SizeofNlMsghdr:]
		body[0], body[1], body[2] = family, unix.IPPROTO_TCP, 1<<(diagTCPInfo-1)
		binary.NativeEndian.PutUint32(body[4:], diagEveryState)
		if unix.Sendto(fd, request, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}) != nil {
			return false
		}
		if !b.answers(fd) {
			return false
		}
	}
	return true
}

// answers takes in what the kernel says of the sockets of one family, to the end of its list.
func (b *book) answers(fd int) (whole bool) {
	buffer := make([]byte, 32<<10)
	for {
		n, _, err := unix.Recvfrom(fd, buffer, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return false
		}
		for kind, m := range netlinkMessages(buffer[:n]) {
			switch kind {
			case unix.NLMSG_DONE:
				return true
			case unix.NLMSG_ERROR:
				return false
			}
			b.gone(m, true)
		}
	}
}
