package sandbox

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
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
			asked = b.asked != nil
			b.mu.Unlock()
		}
		if served { // the same socket, by an answer and by news
			answer := aboutSocket(2, 7, 40)
			b.gone(answer[unix.SizeofNlMsghdr:], true)
			_, err = w.Write(answer)
			must(t, err)
		}
		_, err = w.Write(aboutSocket(cookie, 9, 5))
		must(t, err)
		<-closed
		w.Close()
		if own.Sent != 5 {
			t.Errorf("%+v", *own)
		}
		if served && (server.Accepted != 1 || server.Sent != 40) {
			t.Errorf("a connection to a server was counted twice: %+v", *server)
		}
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
