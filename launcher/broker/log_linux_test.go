package broker

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// On a busy machine the kernel's report of a socket comes after the run has waited for it and after
// the kernel was asked, which has that socket no longer.
func TestBytesOfALateReport(t *testing.T) {
	const cookie = 0x1_0000_0001 // of no socket that there is
	for _, served := range []bool{false, true} {
		l := &connectionLog{}
		l.connected(Connection{Kind: "tcp", Amounts: Amounts{Sent: -1, Received: -1}}, cookie)
		own := l.list[0]
		var server *Connection
		if served {
			l.listening(Connection{Kind: "listen"}, 7)
			server = l.list[1]
		}
		r, w, err := os.Pipe()
		must(t, err)
		l.watched, l.heard, l.reports = true, sync.NewCond(&l.mu), r
		go l.read(r)
		closed := make(chan Traffic)
		go func() { closed <- l.close() }()
		for asked := false; !asked; runtime.Gosched() {
			l.mu.Lock()
			asked = l.asked != nil && (!served || l.last != nil)
			l.mu.Unlock()
		}
		if served { // the same socket, by an answer and by a report, in either order
			answer := aboutSocket(2, 7, 40)
			l.gone(answer[unix.SizeofNlMsghdr:], true)
			l.gone(answer[unix.SizeofNlMsghdr:], false)
			answer = aboutSocket(3, 7, 2)
			l.gone(answer[unix.SizeofNlMsghdr:], false)
			l.gone(answer[unix.SizeofNlMsghdr:], true)
		}
		l.mu.Lock()
		var late []uint64
		for c := range l.open { // the connection's own, and that of what comes last
			late = append(late, c)
		}
		l.mu.Unlock()
		for _, c := range late {
			_, err = w.Write(aboutSocket(c, 9, 5))
			must(t, err)
		}
		<-closed
		w.Close()
		if own.Sent != 5 {
			t.Errorf("%+v", *own)
		}
		if served && (server.Accepted != 2 || server.Sent != 42) {
			t.Errorf("a connection to a server was counted twice: %+v", *server)
		}
	}
}

// Where even the reports that come last have not come, what was served is not known, and no number
// is made up.
func TestServedIsUnknownWithoutReports(t *testing.T) {
	l := &connectionLog{}
	l.listening(Connection{Kind: "listen"}, 7)
	server := l.list[0]
	r, w, err := os.Pipe()
	must(t, err)
	defer w.Close()
	l.watched, l.heard, l.reports = true, sync.NewCond(&l.mu), r
	go l.read(r)
	if l.close(); server.Accepted != -1 || server.Sent != -1 || server.Received != -1 {
		t.Errorf("%+v", *server)
	}
}

// aboutSocket is what the kernel says of a socket on a port that has sent so many bytes to port 1.
func aboutSocket(cookie uint64, port uint16, sent uint64) []byte {
	var info unix.TCPInfo
	info.Bytes_sent = sent
	size := unix.SizeofNlMsghdr + diagSize + 4 + int(unsafe.Sizeof(info))
	m := make([]byte, size)
	binary.NativeEndian.PutUint32(m, uint32(size))
	binary.NativeEndian.PutUint16(m[4:], diagByFamily)
	about := m[unix.SizeofNlMsghdr:]
	binary.BigEndian.PutUint16(about[diagPort:], port)
	binary.BigEndian.PutUint16(about[diagPort+2:], 1)
	binary.NativeEndian.PutUint32(about[diagCookie:], uint32(cookie))
	binary.NativeEndian.PutUint32(about[diagCookie+4:], uint32(cookie>>32))
	binary.NativeEndian.PutUint16(about[diagSize:], uint16(4+unsafe.Sizeof(info)))
	binary.NativeEndian.PutUint16(about[diagSize+2:], diagTCPInfo)
	copy(about[diagSize+4:], unsafe.Slice((*byte)(unsafe.Pointer(&info)), unsafe.Sizeof(info)))
	return m
}

// A connection of which only the client's end is told makes what was served unknown; with both ends
// it is exact.
func TestServedByBothEnds(t *testing.T) {
	for _, both := range []bool{false, true} {
		l := &connectionLog{}
		l.listening(Connection{Kind: "listen"}, 7)
		server := l.list[0]
		r, w, err := os.Pipe()
		must(t, err)
		l.watched, l.heard, l.reports = true, sync.NewCond(&l.mu), r
		go l.read(r)
		closed := make(chan Traffic)
		go func() { closed <- l.close() }()
		client := aboutSocket(2, 4000, 0)
		about := client[unix.SizeofNlMsghdr:]
		about[0] = unix.AF_INET
		copy(about[diagTo:], []byte{127, 0, 0, 1})
		binary.BigEndian.PutUint16(about[diagPort+2:], 7)
		info := unix.TCPInfo{Bytes_acked: 1}
		copy(about[diagSize+4:], unsafe.Slice((*byte)(unsafe.Pointer(&info)), unsafe.Sizeof(info)))
		_, err = w.Write(client)
		must(t, err)
		if both {
			served := aboutSocket(3, 7, 40)
			binary.BigEndian.PutUint16(served[unix.SizeofNlMsghdr+diagPort+2:], 4000)
			_, err = w.Write(served)
			must(t, err)
		}
		for _, c := range sentLast(l) {
			_, err = w.Write(aboutSocket(c, 9, 5))
			must(t, err)
		}
		<-closed
		w.Close()
		if both && (server.Accepted != 1 || server.Sent != 40) ||
			!both && (server.Accepted != -1 || server.Sent != -1 || server.Received != -1) {
			t.Errorf("both %v: %+v", both, *server)
		}
	}
}

// sentLast returns the sockets of the connections that the log makes at its end, as soon as it has.
func sentLast(l *connectionLog) (cookies []uint64) {
	for ; ; runtime.Gosched() {
		l.mu.Lock()
		if l.last != nil {
			for c := range l.open {
				cookies = append(cookies, c)
			}
			l.mu.Unlock()
			return cookies
		}
		l.mu.Unlock()
	}
}

// Where the kernel had to drop reports, what was served is unknown, also when all that come later
// are read.
func TestServedIsUnknownAfterAnOverrun(t *testing.T) {
	l := &connectionLog{}
	l.listening(Connection{Kind: "listen"}, 7)
	server := l.list[0]
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK,
		unix.NETLINK_SOCK_DIAG)
	must(t, err)
	must(t, unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 1))
	must(t, unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK,
		Groups: tcpGone | tcp6Gone}))
	for range 50 {
		(&connectionLog{}).connectOnce()
	}
	for dropped := false; !dropped; runtime.Gosched() { // reading the error would take it away
		line, err := os.ReadFile("/proc/net/netlink")
		must(t, err)
		var st unix.Stat_t
		must(t, unix.Fstat(fd, &st))
		for row := range strings.Lines(string(line)) {
			f := strings.Fields(row)
			dropped = dropped || len(f) == 10 && f[9] == fmt.Sprint(st.Ino) && f[8] != "0"
		}
	}
	l.watched, l.heard, l.reports = true, sync.NewCond(&l.mu), os.NewFile(uintptr(fd), "sockets")
	must(t, unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 1<<20))
	go l.read(l.reports)
	if l.close(); server.Accepted != -1 || server.Sent != -1 || server.Received != -1 {
		t.Errorf("%+v", *server)
	}
}

func TestProcessors(t *testing.T) {
	for list, want := range map[string]int{"0": 1, "0-1": 2, "0-3,8,10-11": 7, "": -1, "1-0": -1,
		"0-511": 512, "0-512": -1, "x": -1, "-1": -1} {
		cpus, ok := processors(list)
		if ok != (want >= 0) || ok && len(cpus) != want {
			t.Errorf("%q: %v %v", list, cpus, ok)
		}
	}
}

// A program that is refused often does not hide where it gets through.
func TestCrowdedLog(t *testing.T) {
	var l connectionLog
	for i := range 2 * maxConnections {
		l.add(Connection{Kind: "tcp", Host: fmt.Sprint("refused", i),
			Refusal: Refusal{Refused: true}})
	}
	for range 2 * maxConnections {
		l.add(Connection{Kind: "tcp", Host: "reached", Address: "203.0.113.7:443"})
	}
	l.add(Connection{Kind: "tcp", Host: "late"})
	traffic, reached := l.close(), 0
	for _, c := range traffic.Connections {
		if c.Host == "reached" {
			reached += c.Count
		}
	}
	if len(traffic.Connections) != maxConnections || reached != 2*maxConnections ||
		traffic.Left != 2*maxConnections-maxRefusals+1 {
		t.Errorf("%d entries, %d connections told, %d left", len(traffic.Connections), reached,
			traffic.Left)
	}
}
