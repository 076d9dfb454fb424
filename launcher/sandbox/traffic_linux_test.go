package sandbox

import (
	"fmt"
	"io"
	"net"
	"os/exec"
	"testing"
)

// The bytes of a connection are counted exactly, both ways, whichever side ended it and however it
// was begun; the other side's end may count as one.
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
			if c := only(traffic, "tcp"); s.Shell() != 0 || len(traffic.Connections) != 1 ||
				c == nil || c.Refused || c.Sent != sent ||
				c.Received != received && c.Received != received+1 {
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

// A server that does not hang up, as one far away does not for a while, delays no one, and its
// bytes are known.
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
			if c := only(traffic, "tcp"); s.Shell() != 0 || c == nil || c.Sent != 7 ||
				c.Received != 7 {
				t.Errorf("%s: %d %s %+v", addr, s.Shell(), said, traffic)
			}
		})
	}
}
