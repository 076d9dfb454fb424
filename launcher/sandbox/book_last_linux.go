//go:build amd64 || arm64

package sandbox

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// How many connected to a server of the run, nobody knows beforehand, so nobody can wait for the news of them all. But news of a socket, and the packets
// that hold it back, go through queues of one processor each: when the news of a connection that was made and ended last has come from every
// processor, those of the connections before it have too, unless a thread of the kernel had to sleep over one of them. A client on this machine shows
// that: it has an end of its own, of which there are news as well.

// A pair is the ports of a connection to a server of the run, its own first.
type pair struct{ server, client uint16 }

// A side is which sockets of a connection the kernel has told of.
type side uint8

const (
	serverEnd side = 1 << iota
	clientEnd
)

func (b *book) met(p pair, e side) {
	if b.ends == nil {
		b.ends = map[pair]side{}
	}
	b.ends[p] |= e
	b.ended.Broadcast()
}

// halves returns of how many connections the client's end alone is known.
func (b *book) halves() (n int) {
	for _, e := range b.ends {
		if e == clientEnd {
			n++
		}
	}
	return n
}

// send makes and ends a connection on each processor, whose news come last, and reports whether there is one on each.
func (b *book) send() (whole bool) {
	if len(b.serving) == 0 {
		return true
	}
	b.mu.Unlock()
	defer b.mu.Lock()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var may unix.CPUSet
	if unix.SchedGetaffinity(0, &may) != nil {
		return false
	}
	defer unix.SchedSetaffinity(0, &may)
	list, err := os.ReadFile("/sys/devices/system/cpu/online")
	cpus, ok := processors(strings.TrimSpace(string(list)))
	if err != nil || !ok {
		return false
	}
	var last []*Connection
	whole = true
	for _, cpu := range cpus {
		var one unix.CPUSet
		one.Set(cpu)
		if unix.SchedSetaffinity(0, &one) != nil {
			whole = false
			continue
		}
		ends := b.sentinel()
		whole = whole && len(ends) == 2
		last = append(last, ends...)
	}
	b.mu.Lock()
	b.last = last
	b.mu.Unlock()
	return whole
}

// maxProcessors bounds what send costs; on a larger machine, what was served is unknown.
const maxProcessors = 512

// processors reads a list as "0-3,8".
func processors(list string) (cpus []int, ok bool) {
	for part := range strings.SplitSeq(list, ",") {
		first, last, many := strings.Cut(part, "-")
		if !many {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err != nil || err2 != nil || from < 0 || to < from || to-from+len(cpus) >= maxProcessors {
			return nil, false
		}
		for cpu := from; cpu <= to; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, true
}

// sentinel connects two sockets over the loopback, and closes them. A machine without a loopback has none.
func (b *book) sentinel() (ends []*Connection) {
	listener, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(listener)
	client, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(client)
	if unix.Bind(listener, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}) != nil || unix.Listen(listener, 1) != nil {
		return nil
	}
	at, err := unix.Getsockname(listener)
	if err != nil || unix.Connect(client, at) != nil {
		return nil
	}
	server, _, err := unix.Accept4(listener, unix.SOCK_CLOEXEC)
	if err != nil {
		return nil
	}
	defer unix.Close(server)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, fd := range []int{client, server} {
		if cookie, err := unix.GetsockoptUint64(fd, unix.SOL_SOCKET, unix.SO_COOKIE); err == nil {
			if b.open == nil {
				b.open = map[uint64]*Connection{}
			}
			e := &Connection{Sent: -1, Received: -1, cookie: cookie}
			b.open[cookie] = e
			ends = append(ends, e)
		}
	}
	return ends
}

// doubt says of what the run served that it is not known, unless all news of it have come.
func (b *book) doubt() {
	unknown := b.partial || b.halves() > 0
	for _, e := range b.last {
		unknown = unknown || b.open[e.cookie] != nil
		delete(b.open, e.cookie)
	}
	for _, server := range b.serving {
		if unknown {
			server.Accepted, server.Sent, server.Received = -1, -1, -1
		}
	}
}
