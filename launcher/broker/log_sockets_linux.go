//go:build amd64 || arm64

package broker

import (
	"encoding/binary"
	"iter"
	"net/netip"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The groups of sock_diag(7) that report sockets that are gone (Linux 4.2), as bits.
const tcpGone, tcp6Gone = 1 << 0, 1 << 2

// watch has the kernel report sockets that are gone. Where it does not, amounts stay unknown.
func (l *connectionLog) watch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watched {
		return
	}
	l.watched, l.heard = true, sync.NewCond(&l.mu)
	const kind = unix.SOCK_RAW | unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK
	fd, err := unix.Socket(unix.AF_NETLINK, kind, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return
	}
	at := &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: tcpGone | tcp6Gone}
	if unix.Bind(fd, at) != nil {
		unix.Close(fd)
		return
	}
	// The reports are those of the whole machine.
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 1<<20)
	l.reports = os.NewFile(uintptr(fd), "sockets")
	go l.read(l.reports)
}

// read takes in reports until their file is closed.
func (l *connectionLog) read(reports *os.File) {
	buffer := make([]byte, 16<<10)
	for {
		n, err := reports.Read(buffer)
		if err != nil {
			if !isOverrun(err) {
				return
			}
			l.mu.Lock()
			l.partial, l.overrun = true, true
			l.mu.Unlock()
			l.heard.Broadcast()
		}
		for _, m := range netlinkMessages(buffer[:max(n, 0)]) {
			l.gone(m, false)
		}
	}
}

// netlinkMessages goes through what one read has brought: the type of each message, and its
// content.
func netlinkMessages(m []byte) iter.Seq2[uint16, []byte] {
	return func(yield func(uint16, []byte) bool) {
		for len(m) >= unix.SizeofNlMsghdr {
			size := int(binary.NativeEndian.Uint32(m))
			if size < unix.SizeofNlMsghdr || size > len(m) ||
				!yield(binary.NativeEndian.Uint16(m[4:]), m[unix.SizeofNlMsghdr:size]) {
				return
			}
			m = m[min(len(m), (size+3)&^3):]
		}
	}
}

// isOverrun reports whether reports were lost, because a busy machine has too many.
func isOverrun(err error) bool {
	pe, ok := err.(*os.PathError)
	return ok && pe.Err == unix.ENOBUFS
}

// The offsets in struct inet_diag_msg, and the attribute that holds a struct tcp_info.
const (
	diagFrom    = 8 // the address of this side
	diagTo      = 24
	diagPort    = 4 // of this side, then that of the other, which a socket that listens has not
	diagCookie  = 44
	diagSize    = 72
	diagTCPInfo = 2
)

// gone takes in what the kernel says of one socket, in a report or when it is asked. Of a socket
// that only waits for its number to be free again it says no amounts, and has said them before.
func (l *connectionLog) gone(m []byte, asked bool) {
	if len(m) < diagSize {
		return
	}
	cookie := uint64(binary.NativeEndian.Uint32(m[diagCookie:])) |
		uint64(binary.NativeEndian.Uint32(m[diagCookie+4:]))<<32
	l.mu.Lock()
	defer l.mu.Unlock()
	c, own := l.open[cookie]
	p := ports{binary.BigEndian.Uint16(m[diagPort:]), binary.BigEndian.Uint16(m[diagPort+2:])}
	client := false
	if !own {
		c = l.serving[p.server]
		client = c == nil && l.serving[p.client] != nil && diagAddr(m, diagTo).IsLoopback()
		switch {
		case client:
			p.server, p.client = p.client, p.server
		case c == nil, p.client == 0, l.asked[cookie],
			c.Host == "localhost" && !diagAddr(m, diagFrom).IsLoopback():
			return
		}
	}
	for a := m[diagSize:]; len(a) >= 4; {
		size, kind := int(binary.NativeEndian.Uint16(a)), binary.NativeEndian.Uint16(a[2:])
		if size < 4 || size > len(a) {
			break
		}
		if kind == diagTCPInfo {
			var info unix.TCPInfo // an older kernel sends less of it
			copy(unsafe.Slice((*byte)(unsafe.Pointer(&info)), unsafe.Sizeof(info)), a[4:size])
			if client {
				if info.Bytes_acked > 0 { // it was answered
					l.met(p, clientEnd)
				}
				break
			}
			if asked || l.asked != nil { // the answer and the report can overtake each other
				l.asked[cookie] = true
			}
			if own {
				c.Sent, c.Received = 0, 0
				delete(l.open, cookie)
			} else {
				l.met(p, serverEnd)
				c.Accepted++
			}
			c.Sent += int64(info.Bytes_sent - info.Bytes_retrans)
			c.Received += int64(info.Bytes_received)
		}
		a = a[min(len(a), (size+3)&^3):]
	}
	if len(l.open) == 0 {
		l.heard.Broadcast()
	}
}

func diagAddr(m []byte, at int) netip.Addr {
	if m[0] == unix.AF_INET {
		return netip.AddrFrom4([4]byte(m[at:]))
	}
	return netip.AddrFrom16([16]byte(m[at:])).Unmap()
}

func (l *connectionLog) met(p ports, e side) {
	if l.ends == nil {
		l.ends = map[ports]side{}
	}
	l.ends[p] |= e
	l.heard.Broadcast()
}

// halves returns of how many connections the client's end alone is known.
func (l *connectionLog) halves() (n int) {
	for _, e := range l.ends {
		if e == clientEnd {
			n++
		}
	}
	return n
}
