//go:build amd64 || arm64

package broker

import (
	"encoding/binary"
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long the end of a run waits for the kernel to report its last sockets, and
// overdue how long when they are not there any more: then their reports are on the way, from a
// thread of the kernel that a busy machine keeps waiting. That thread yields after each report as
// long as the queue of any receiver is half full, and seconds pass where many want the processors.
// Where a report was lost, there is none to wait for.
const (
	patience = 20 * time.Millisecond
	overdue  = 5 * time.Second
)

// close returns what was noted. No process of the run is left.
func (l *connectionLog) close() Traffic {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reports != nil {
		l.await(patience, l.expects)
		if l.expects() {
			// In this order: a socket that is gone when the kernel is asked has its report before
			// what is connected then.
			whole := l.ask() // about connections that are still open
			l.partial = !l.connectLast() || !whole || l.partial
			if whole {
				l.await(overdue, func() bool {
					return !l.overrun && (len(l.open) > 0 || l.halves() > 0)
				})
			}
			l.markUnknown()
		}
		l.reports.Close()
		l.reports = nil
	}
	t := Traffic{Left: l.left}
	for _, c := range l.list {
		t.Connections = append(t.Connections, *c)
	}
	return t
}

// expects reports whether there may be reports yet. How many connected to a server is not known
// beforehand.
func (l *connectionLog) expects() bool { return len(l.open) > 0 || len(l.serving) > 0 }

// await gives reports time to come, as long as there is something to wait for.
func (l *connectionLog) await(limit time.Duration, waiting func() bool) {
	late := false
	timer := time.AfterFunc(limit, func() {
		l.mu.Lock()
		late = true
		l.mu.Unlock()
		l.heard.Broadcast()
	})
	defer timer.Stop()
	for waiting() && !late {
		l.heard.Wait()
	}
}

// The request of sock_diag(7) for all TCP sockets of a family: struct inet_diag_req_v2.
const (
	diagByFamily   = 20
	diagRequest    = 56
	diagEveryState = 0xffffffff
)

// ask asks the kernel about the sockets that are left: a process that ends without closing leaves
// them until the other side has hung up, which a distant one does late. Where the kernel does not
// answer, the amounts stay unknown, and ask returns false; else the sockets of which nothing is
// known yet are gone.
func (l *connectionLog) ask() (whole bool) {
	l.asked = map[uint64]bool{}
	l.mu.Unlock()
	defer l.mu.Lock()
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	limit := unix.NsecToTimeval(patience.Nanoseconds())
	if unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit) != nil {
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
		if !l.answers(fd) {
			return false
		}
	}
	return true
}

// answers takes in what the kernel says of the sockets of one family, to the end of its list.
func (l *connectionLog) answers(fd int) (whole bool) {
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
			l.gone(m, true)
		}
	}
}
