//go:build amd64 || arm64

package broker

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// How many connected to a server of the run is not known beforehand, so the broker cannot wait for
// the reports of them all. But the report of a socket, and the packets that hold it back, go
// through queues of one processor each: when the report of a connection that was made and ended
// last has come from every processor, those of the connections before it have come too, unless a
// thread of the kernel had to sleep over one of them. A client on this machine shows that: it has
// an end of its own, which is reported as well.

// connectLast makes and ends a connection on each processor, whose reports come last, and says
// whether there is one on each.
func (l *connectionLog) connectLast() (whole bool) {
	if len(l.serving) == 0 {
		return true
	}
	l.mu.Unlock()
	defer l.mu.Lock()
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
	last := []uint64{}
	whole = true
	for _, cpu := range cpus {
		var one unix.CPUSet
		one.Set(cpu)
		if unix.SchedSetaffinity(0, &one) != nil {
			whole = false
			continue
		}
		ends := l.connectOnce()
		whole = whole && len(ends) == 2
		last = append(last, ends...)
	}
	l.mu.Lock()
	l.last = last
	l.mu.Unlock()
	return whole
}

// maxProcessors bounds what connectLast costs; on a larger machine, what was served is unknown.
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
		if err != nil || err2 != nil || from < 0 || to < from ||
			to-from+len(cpus) >= maxProcessors {
			return nil, false
		}
		for cpu := from; cpu <= to; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, true
}

// connectOnce connects two sockets over the loopback, closes them, and returns the kernel's names
// of them. A machine without a loopback has none.
func (l *connectionLog) connectOnce() (ends []uint64) {
	const kind = unix.SOCK_STREAM | unix.SOCK_CLOEXEC
	listener, err := unix.Socket(unix.AF_INET, kind|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(listener)
	client, err := unix.Socket(unix.AF_INET, kind, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(client)
	loopback := &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}
	if unix.Bind(listener, loopback) != nil || unix.Listen(listener, 1) != nil {
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
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, fd := range []int{client, server} {
		if cookie, err := unix.GetsockoptUint64(fd, unix.SOL_SOCKET, unix.SO_COOKIE); err == nil {
			if l.open == nil {
				l.open = map[uint64]*Connection{}
			}
			l.open[cookie] = &Connection{Amounts: Amounts{Sent: -1, Received: -1}}
			ends = append(ends, cookie)
		}
	}
	return ends
}

// markUnknown says of what the run served that it is not known, unless all reports about it have
// come.
func (l *connectionLog) markUnknown() {
	unknown := l.partial || l.halves() > 0
	for _, cookie := range l.last {
		unknown = unknown || l.open[cookie] != nil
		delete(l.open, cookie)
	}
	for _, server := range l.serving {
		if unknown {
			server.Amounts = Amounts{-1, -1, -1}
		}
	}
}
