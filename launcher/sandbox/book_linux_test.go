package sandbox

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What went through a connection is told to the byte, both ways, whoever ended it and however it was begun; the other side's end may count as one.
func TestBytes(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	const sent, received = 3_000_017, 2_000_003
	port := answered(t, "127.0.1.51", func(c net.Conn) {
		defer c.Close()
		_, _ = io.CopyN(io.Discard, c, sent)
		_, _ = c.Write(make([]byte, received))
	})
	program := fmt.Sprintf(`
import select, socket, sys
s = socket.socket()
if sys.argv[1] == "later": s.setblocking(False)
s.connect_ex(("127.0.1.51", %d))
select.select([], [s], [])
s.setblocking(True)
s.sendall(bytes(%d))
got = 0
while got < %d: got += len(s.recv(1 << 16))
if sys.argv[1] == "other": s.recv(1)
`, port, sent, received)
	bothLevels(t, func(t *testing.T, p Profile) {
		p = reaching(p, nil, "127.0.1.51")
		for _, how := range []string{"first", "other", "later"} {
			s, said, traffic := talk(t, p, "python3", "-c", program, how)
			if c := only(traffic, "tcp"); s.Shell() != 0 || len(traffic.Connections) != 1 || c == nil || c.Refused || c.Sent != sent || c.Received != received && c.Received != received+1 {
				t.Errorf("%s: %d %s %+v", how, s.Shell(), said, traffic)
			}
		}
	})
}

// answered is the port of a server that answers each connection, until the test ends.
func answered(t *testing.T, addr string, answer func(net.Conn)) int {
	l, err := net.Listen("tcp", net.JoinHostPort(addr, "0"))
	must(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go answer(c)
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

// A server that does not hang up, as one far away does not for a while, keeps nobody waiting, and its bytes are known.
func TestBytesOfASlowEnd(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	for _, addr := range []string{"127.0.1.52", "::1"} {
		if addr == "::1" && !hasIPv6() {
			continue
		}
		port := answered(t, addr, func(c net.Conn) {
			t.Cleanup(func() { c.Close() })
			_, _ = io.CopyN(c, c, 7)
		})
		program := fmt.Sprintf("import socket; s = socket.create_connection((%q, %d)); s.sendall(b'request'); s.recv(7, socket.MSG_WAITALL)", addr, port)
		bothLevels(t, func(t *testing.T, p Profile) {
			s, said, traffic := talk(t, reaching(p, nil, addr), "python3", "-c", program)
			if c := only(traffic, "tcp"); s.Shell() != 0 || c == nil || c.Sent != 7 || c.Received != 7 {
				t.Errorf("%s: %d %s %+v", addr, s.Shell(), said, traffic)
			}
		})
	}
}

// On a busy machine the kernel's news of a socket comes after the run has waited for it and after the kernel was asked, who has that socket no longer.
func TestBytesOfLateNews(t *testing.T) {
	const cookie = 0x1_0000_0001 // of no socket that there is
	for _, served := range []bool{false, true} {
		b := &book{}
		own := b.add(Connection{Kind: "tcp", Sent: -1, Received: -1, cookie: cookie})
		var server *Connection
		if served {
			server = b.add(Connection{Kind: "listen", serves: 7})
		}
		r, w, err := os.Pipe()
		must(t, err)
		b.watched, b.ended, b.news = true, sync.NewCond(&b.mu), r
		go b.hear(r)
		closed := make(chan Traffic)
		go func() { closed <- b.close() }()
		for asked := false; !asked; runtime.Gosched() {
			b.mu.Lock()
			asked = b.asked != nil && (!served || b.last != nil)
			b.mu.Unlock()
		}
		if served { // the same socket, by an answer and by news, in either order
			answer := aboutSocket(2, 7, 40)
			b.gone(answer[unix.SizeofNlMsghdr:], true)
			b.gone(answer[unix.SizeofNlMsghdr:], false)
			answer = aboutSocket(3, 7, 2)
			b.gone(answer[unix.SizeofNlMsghdr:], false)
			b.gone(answer[unix.SizeofNlMsghdr:], true)
		}
		b.mu.Lock()
		var late []uint64
		for c := range b.open { // the connection's own, and that of what comes last
			late = append(late, c)
		}
		b.mu.Unlock()
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

// Where even the news that come last have not come, what was served is not known, and no number is made up.
func TestServedIsUnknownWithoutNews(t *testing.T) {
	b := &book{}
	server := b.add(Connection{Kind: "listen", serves: 7})
	r, w, err := os.Pipe()
	must(t, err)
	defer w.Close()
	b.watched, b.ended, b.news = true, sync.NewCond(&b.mu), r
	go b.hear(r)
	if b.close(); server.Accepted != -1 || server.Sent != -1 || server.Received != -1 {
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

// A connection of which only the client's end is told makes what was served unknown; with both ends it is exact.
func TestServedByBothEnds(t *testing.T) {
	for _, both := range []bool{false, true} {
		b := &book{}
		server := b.add(Connection{Kind: "listen", serves: 7})
		r, w, err := os.Pipe()
		must(t, err)
		b.watched, b.ended, b.news = true, sync.NewCond(&b.mu), r
		go b.hear(r)
		closed := make(chan Traffic)
		go func() { closed <- b.close() }()
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
		for _, c := range sentLast(b) {
			_, err = w.Write(aboutSocket(c, 9, 5))
			must(t, err)
		}
		<-closed
		w.Close()
		if both && (server.Accepted != 1 || server.Sent != 40) || !both && (server.Accepted != -1 || server.Sent != -1 || server.Received != -1) {
			t.Errorf("both %v: %+v", both, *server)
		}
	}
}

// sentLast returns the sockets of the connections that a book makes at its end, as soon as it has.
func sentLast(b *book) (cookies []uint64) {
	for ; ; runtime.Gosched() {
		b.mu.Lock()
		if b.last != nil {
			for c := range b.open {
				cookies = append(cookies, c)
			}
			b.mu.Unlock()
			return cookies
		}
		b.mu.Unlock()
	}
}

// Where the kernel had to drop news, what was served is unknown, also when all that come later are heard.
func TestServedIsUnknownAfterAnOverrun(t *testing.T) {
	b := &book{}
	server := b.add(Connection{Kind: "listen", serves: 7})
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_SOCK_DIAG)
	must(t, err)
	must(t, unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 1))
	must(t, unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: tcpGone | tcp6Gone}))
	for range 50 {
		(&book{}).sentinel()
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
	b.watched, b.ended, b.news = true, sync.NewCond(&b.mu), os.NewFile(uintptr(fd), "sockets")
	must(t, unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 1<<20))
	go b.hear(b.news)
	if b.close(); server.Accepted != -1 || server.Sent != -1 || server.Received != -1 {
		t.Errorf("%+v", *server)
	}
}

func TestProcessors(t *testing.T) {
	for list, want := range map[string]int{"0": 1, "0-1": 2, "0-3,8,10-11": 7, "": -1, "1-0": -1, "0-511": 512, "0-512": -1, "x": -1, "-1": -1} {
		cpus, ok := processors(list)
		if ok != (want >= 0) || ok && len(cpus) != want {
			t.Errorf("%q: %v %v", list, cpus, ok)
		}
	}
}
