//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"iter"
	"net/netip"
	"os"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxConnections bounds what is kept of one run, and maxRefusals how much of that may be refusals: a program that tries every address must not thereby hide
// where it comes through. Beyond that a connection is counted where there is one to the same place, and else among those that are left.
const (
	maxConnections = 512
	maxRefusals    = 256
)

// A book keeps what a run did with the network. How much went through a connection, the kernel tells when it takes the socket apart: holding the
// socket open to ask it would keep the other side waiting for its end.
type book struct {
	mu      sync.Mutex
	list    []*Connection
	left    int
	open    map[uint64]*Connection
	serving map[uint16]*Connection // by the port where the run listens
	refused map[string]*Connection
	ended   *sync.Cond
	news    *os.File // the kernel's, about sockets that are gone; nil until the first connection
	watched bool
	asked   map[uint64]bool // sockets that the kernel was asked about at the end, of which news may come as well; nil before
	last    []*Connection   // made by us at the end; see send
	partial bool            // not all news of what the run served will come
	ends    map[pair]side   // of connections to what the run serves
	noted   chan struct{}   // holds one when the list has grown; nil when nobody asks
}

// add notes a connection or a refusal. The same refusal is noted once and counted.
func (b *book) add(e Connection) *Connection {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := ""
	if e.Refused {
		key = e.Kind + " " + e.Host + " " + e.Address + " " + e.Program
		if old := b.refused[key]; old != nil {
			if old.Count++; old.Fix == "" {
				old.Fix = e.Fix
			}
			return old
		}
	}
	if len(b.list) >= maxConnections || e.Refused && len(b.refused) >= maxRefusals {
		return b.crowded(e)
	}
	e.Count = 1
	p := &e
	b.list = append(b.list, p)
	select {
	case b.noted <- struct{}{}:
	default:
	}
	switch {
	case e.Refused:
		if b.refused == nil {
			b.refused = map[string]*Connection{}
		}
		b.refused[key] = p
	case e.cookie != 0 && e.Error == "":
		if b.open == nil {
			b.open = map[uint64]*Connection{}
		}
		b.open[e.cookie] = p
	case e.serves != 0:
		if b.serving == nil {
			b.serving = map[uint16]*Connection{}
		}
		b.serving[e.serves] = p
	}
	return p
}

// crowded counts what there is no place for.
func (b *book) crowded(e Connection) *Connection {
	for _, old := range b.list {
		if !e.Refused && !old.Refused && old.Kind == e.Kind && old.Host == e.Host && old.Address == e.Address {
			old.Count++
			return old
		}
	}
	b.left++
	return nil
}

// since returns copies of what was noted after the first n.
func (b *book) since(n int) (list []Connection) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.list[min(n, len(b.list)):] {
		list = append(list, *e)
	}
	return list
}

// knows reports whether a socket is noted already.
func (b *book) knows(cookie uint64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open[cookie] != nil
}

// The groups of sock_diag(7) that tell of sockets that are gone (Linux 4.2), as bits.
const tcpGone, tcp6Gone = 1 << 0, 1 << 2

// watch has the kernel tell of sockets that are gone. Where it does not, amounts stay unknown.
func (b *book) watch() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watched {
		return
	}
	b.watched, b.ended = true, sync.NewCond(&b.mu)
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return
	}
	if unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: tcpGone | tcp6Gone}) != nil {
		unix.Close(fd)
		return
	}
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 1<<20) // the news of the whole machine
	b.news = os.NewFile(uintptr(fd), "sockets")
	go b.hear(b.news)
}

func (b *book) hear(news *os.File) {
	buffer := make([]byte, 16<<10)
	for {
		n, err := news.Read(buffer)
		if err != nil {
			if !isOverrun(err) {
				return
			}
			b.mu.Lock()
			b.partial = true
			b.mu.Unlock()
		}
		for _, m := range netlinkMessages(buffer[:max(n, 0)]) {
			b.gone(m, false)
		}
	}
}

// netlinkMessages goes through what one read has brought: the type of each message, and what stands in it.
func netlinkMessages(m []byte) iter.Seq2[uint16, []byte] {
	return func(yield func(uint16, []byte) bool) {
		for len(m) >= unix.SizeofNlMsghdr {
			size := int(binary.NativeEndian.Uint32(m))
			if size < unix.SizeofNlMsghdr || size > len(m) || !yield(binary.NativeEndian.Uint16(m[4:]), m[unix.SizeofNlMsghdr:size]) {
				return
			}
			m = m[min(len(m), (size+3)&^3):]
		}
	}
}

// isOverrun reports whether news were lost, because a busy machine has too many.
func isOverrun(err error) bool {
	pe, ok := err.(*os.PathError)
	return ok && pe.Err == unix.ENOBUFS
}

// Where things stand in struct inet_diag_msg, and the attribute that holds a struct tcp_info.
const (
	diagFrom    = 8 // the address of this side
	diagTo      = 24
	diagPort    = 4 // of this side, and behind it that of the other, which a socket that listens has not
	diagCookie  = 44
	diagSize    = 72
	diagTCPInfo = 2
)

// gone takes in what the kernel says of one socket, in its news or when it is asked. Of one that only waits for its number to be free again it says no amounts, and has
// said them before.
func (b *book) gone(m []byte, asked bool) {
	if len(m) < diagSize {
		return
	}
	cookie := uint64(binary.NativeEndian.Uint32(m[diagCookie:])) | uint64(binary.NativeEndian.Uint32(m[diagCookie+4:]))<<32
	b.mu.Lock()
	defer b.mu.Unlock()
	e, own := b.open[cookie]
	from, to := binary.BigEndian.Uint16(m[diagPort:]), binary.BigEndian.Uint16(m[diagPort+2:])
	client := false
	if !own {
		e = b.serving[from]
		if client = e == nil && b.serving[to] != nil && diagAddr(m, diagTo).IsLoopback(); client {
			from, to = to, from
		} else if e == nil || to == 0 || b.asked[cookie] || e.Host == "localhost" && !diagAddr(m, diagFrom).IsLoopback() {
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
					b.met(pair{from, to}, clientEnd)
				}
				break
			}
			if asked || b.asked != nil { // the answer and the news can overtake each other
				b.asked[cookie] = true
			}
			if own {
				e.Sent, e.Received = 0, 0
				delete(b.open, cookie)
			} else {
				b.met(pair{from, to}, serverEnd)
				e.Accepted++
			}
			e.Sent += int64(info.Bytes_sent - info.Bytes_retrans)
			e.Received += int64(info.Bytes_received)
		}
		a = a[min(len(a), (size+3)&^3):]
	}
	if len(b.open) == 0 {
		b.ended.Broadcast()
	}
}

func diagAddr(m []byte, at int) netip.Addr {
	if m[0] == unix.AF_INET {
		return netip.AddrFrom4([4]byte(m[at:]))
	}
	return netip.AddrFrom16([16]byte(m[at:])).Unmap()
}

// settle is how long the end of a run waits for the kernel to tell of its last sockets, and overdue how long when they are not there any more:
// then their news are on the way, from a thread of the kernel that a busy machine keeps waiting.
const (
	settle  = 20 * time.Millisecond
	overdue = time.Second
)

// expects reports whether there may be news of sockets yet. How many connected to a server, nobody knows beforehand.
func (b *book) expects() bool { return len(b.open) > 0 || len(b.serving) > 0 }

// close returns what was noted. No process of the run is left.
func (b *book) close() Traffic {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.news != nil {
		b.await(settle, b.expects)
		if b.expects() {
			// In this order: a socket that is gone when the kernel is asked has its news before what is sent then.
			whole := b.ask() // of who has not hung up yet
			b.partial = !b.send() || !whole || b.partial
			if whole {
				b.await(overdue, func() bool { return len(b.open) > 0 || b.halves() > 0 })
			}
			b.doubt()
		}
		b.news.Close()
		b.news = nil
	}
	t := Traffic{Left: b.left}
	for _, e := range b.list {
		t.Connections = append(t.Connections, *e)
	}
	return t
}

// await gives news time to come, as long as there is something to wait for.
func (b *book) await(patience time.Duration, waiting func() bool) {
	late := false
	timer := time.AfterFunc(patience, func() {
		b.mu.Lock()
		late = true
		b.mu.Unlock()
		b.ended.Broadcast()
	})
	defer timer.Stop()
	for waiting() && !late {
		b.ended.Wait()
	}
}
