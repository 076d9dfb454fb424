package sandbox

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// Names are found, and hosts reached, where all is IPv6.
func TestIPv6(t *testing.T) {
	if !hasIPv6() {
		t.Skip("this machine has no IPv6")
	}
	site := hostSite(t, "::1", pages("six"))
	servers := []netip.AddrPort{netip.MustParseAddrPort("[fd00::53]:53"),
		netip.MustParseAddrPort("192.0.2.53:53")}
	bothLevels(t, func(t *testing.T, p Profile) {
		p = reaching(p, internet{"six.test": {site.addr}}, fmt.Sprintf("six.test:%d", site.port),
			site.addr.String())
		p.Read, p.Servers = append(p.Read, Path{Name: self(t)}), servers
		for _, protocol := range []string{"udp6", "tcp6"} {
			url := fmt.Sprintf("http://six.test:%d/", site.port)
			if s, said, traffic := talkAs(t, p, self(t), "ask", protocol, servers[0].String(),
				url); s.Shell() != 0 || !strings.Contains(said, "hello from six") ||
				only(traffic, "tcp").Host != "six.test" {
				t.Errorf("%s: %d %q %+v", protocol, s.Shell(), said, traffic)
			}
			if s, said, traffic := talkAs(t, p, self(t), "ask", protocol, servers[0].String(),
				"http://other.test/"); s.Shell() == 0 || only(traffic, "name") == nil {
				t.Errorf("%s, other: %d %q %+v", protocol, s.Shell(), said, traffic)
			}
		}
		if s, said, _ := talkAs(t, p, self(t), "ask", "udp6", "[fd00::54]:53",
			"http://six.test/"); s.Shell() == 0 || !strings.Contains(said, "unreachable") {
			t.Errorf("a server that is none: %d %q", s.Shell(), said)
		}
	})
}

// listenMain listens where it is told, prints where that came to, and answers one caller.
func listenMain(args []string) {
	l, err := net.Listen(args[0], args[1])
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println(l.Addr())
	c, err := l.Accept()
	if err == nil {
		io.WriteString(c, "served\n")
		c.Close()
	}
}

// A server in the sandbox is reached from this machine, at the loopback whatever it meant, and from
// other machines where its port is published.
func TestListen(t *testing.T) {
	bothLevels(t, func(t *testing.T, p Profile) {
		p.Read = append(p.Read, Path{Name: self(t)})
		unknown := 0
		for _, test := range []struct {
			network, address string
			local            bool
			publish          bool
			want             string // the beginning of where it listens; "" for nowhere
		}{
			{"tcp", ":0", true, false, "127.0.0.1:"},
			{"tcp4", ":0", true, false, "127.0.0.1:"},
			{"tcp4", "127.0.0.1:0", true, false, "127.0.0.1:"},
			{"tcp6", "[::1]:0", true, false, "[::1]:"},
			{"tcp4", "127.0.0.1:0", false, false, ""},
			{"tcp4", ":0", false, false, ""},
			{"tcp4", ":", false, true, "0.0.0.0:"},
			{"tcp4", "127.0.0.1:80", true, false, ""},
		} {
			if test.network == "tcp6" && !hasIPv6() {
				continue
			}
			p := p
			p.Network, p.Reach.Localhost = Hosts, test.local
		again:
			address := test.address
			if test.publish {
				free, err := net.Listen("tcp4", "127.0.0.1:0")
				must(t, err)
				port := uint16(free.Addr().(*net.TCPAddr).Port)
				free.Close()
				p.Reach.Publish, address = []uint16{port}, fmt.Sprintf(":%d", port)
			}
			out, in, err := os.Pipe()
			must(t, err)
			process, _, err := Start(p,
				Command{Path: self(t), Argv: []string{"listen", test.network, address},
					Files: []*os.File{nil, in, in}})
			in.Close()
			must(t, err)
			line := make([]byte, 200)
			n, _ := out.Read(line)
			at := strings.TrimSpace(string(line[:n]))
			// by a neighbour, since we looked
			taken := test.publish && strings.HasSuffix(at, "address already in use")
			var c net.Conn
			if taken {
			} else if strings.HasPrefix(at, "error:") != (test.want == "") ||
				!strings.HasPrefix(at, test.want) {
				t.Errorf("%+v: %q", test, at)
			} else if test.want != "" {
				c, err = net.DialTimeout("tcp", strings.Replace(at, "0.0.0.0", "127.0.0.1", 1),
					5*time.Second)
				if err != nil {
					t.Errorf("%+v: %v", test, err)
				} else if answer, _ := io.ReadAll(c); string(answer) != "served\n" {
					t.Errorf("%+v: %q", test, answer)
				}
			}
			out.Close()
			process.Wait()
			traffic, noted, vague := process.Traffic(), test.network == "unix" ||
				test.address == "127.0.0.1:80", taken
			if c != nil {
				c.Close()
			}
			for _, c := range traffic.Connections {
				if c.Kind != "listen" || c.Refused != (test.want == "") {
					continue
				}
				noted = noted || c.Refused ||
					(c.Host == "localhost") == !test.publish && c.Accepted == 1 &&
						c.Sent == int64(len("served\n"))
				vague = vague || c.Accepted == -1 && c.Sent == -1 && c.Received == -1
			}
			if vague && unknown < 20 { // on a busy machine; not always
				unknown++
				goto again
			}
			if !noted {
				t.Errorf("%+v: recorded %+v", test, traffic)
			}
		}
		if unknown > 0 {
			t.Logf("%d times what was served was unknown, or the port was taken", unknown)
		}
	})
}

func hasIPv6() bool {
	l, err := net.Listen("tcp6", "[::1]:0")
	if err == nil {
		l.Close()
	}
	return err == nil
}

// A client that tries one address after the other comes to the one that answers.
func TestSeveralAddresses(t *testing.T) {
	site := hostSite(t, "127.0.1.7", pages("site"))
	names := internet{"site.test": {netip.MustParseAddr("2001:db8::1"),
		netip.MustParseAddr("127.0.1.99"), site.addr}}
	bothLevels(t, func(t *testing.T, p Profile) {
		p = reaching(p, names, "site.test", "127.0.1.7", "127.0.1.99")
		for _, name := range []string{"curl", "wget", "python", "node"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s, said, traffic := talk(t, p,
					clients[name](fmt.Sprintf("http://site.test:%d/", site.port))...)
				if s.Shell() != 0 || !strings.Contains(said, "hello from site") {
					t.Errorf("%d %q %+v", s.Shell(), said, traffic)
				}
			})
		}
	})
}

// stuck is a server that takes no more connections: who connects waits.
func stuck(t *testing.T, addr [4]byte) site {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	must(t, unix.Bind(fd, &unix.SockaddrInet4{Addr: addr}))
	must(t, unix.Listen(fd, 0))
	sa, err := unix.Getsockname(fd)
	must(t, err)
	s := site{netip.AddrFrom4(addr), uint16(sa.(*unix.SockaddrInet4).Port)}
	for range 2 {
		c, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC,
			0)
		must(t, err)
		t.Cleanup(func() { unix.Close(c) })
		_ = unix.Connect(c, sa)
	}
	return s
}

// A caller that waits for a connection delays no other, and can be interrupted.
func TestSlowConnect(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	slow, quick := stuck(t, [4]byte{127, 0, 1, 8}), hostSite(t, "127.0.1.9", pages("quick"))
	bothLevels(t, func(t *testing.T, p Profile) {
		p = reaching(p, nil, "127.0.1.8", "127.0.1.9")
		script := fmt.Sprintf(`
			exec 2>/dev/null
			for i in 1 2 3; do (exec 3<>/dev/tcp/127.0.1.8/%d) & done
			curl -sS -m 10 http://127.0.1.9:%d/ || exit 7
			kill %%1 %%2 %%3; wait; echo gone`, slow.port, quick.port)
		s, said, _ := talk(t, p, "bash", "-c", script)
		if s.Shell() != 0 || said != "hello from quick\ngone\n" {
			t.Errorf("%d %q", s.Shell(), said)
		}
		if _, err := exec.LookPath("python3"); err != nil {
			t.Skip("python3 is not installed: a handler that interrupts a connect is not tried")
		}
		program := fmt.Sprintf(`
import signal, socket
class Alarm(Exception): pass
def ring(*_): raise Alarm
signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    socket.socket().connect(("127.0.1.8", %d))
except Alarm:
    print("interrupted")
s = socket.socket(); s.settimeout(0.2)
try:
    s.connect(("127.0.1.8", %[1]d))
except TimeoutError:
    print("timed out")
`, slow.port)
		if s, said, _ := talk(t, p, "python3", "-c", program); s.Shell() != 0 ||
			said != "interrupted\ntimed out\n" {
			t.Errorf("%d %q", s.Shell(), said)
		}
	})
}

// What a socket is before it is connected, it is afterwards.
func TestSameSocket(t *testing.T) {
	echo := hostSite(t, "127.0.1.10", pages("echo"))
	bothLevels(t, func(t *testing.T, p Profile) {
		if _, err := exec.LookPath("python3"); err != nil {
			t.Skip("python3 is not installed")
		}
		p = reaching(p, nil, "127.0.1.10")
		program := fmt.Sprintf(`
import socket, select, errno
to = ("127.0.1.10", %d)
s = socket.socket(); s.setblocking(False)
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
s.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
e = select.epoll(); e.register(s, select.EPOLLOUT)
r = s.connect_ex(to)
assert r in (0, errno.EINPROGRESS), r
assert e.poll(5) == [(s.fileno(), select.EPOLLOUT)]
assert s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
assert s.getpeername() == to, s.getpeername()
assert s.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1
assert s.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) != 0
assert s.connect_ex(to) in (0, errno.EISCONN)
try:
    socket.socket().connect(("127.0.1.11", 1))
except PermissionError:
    print("refused")
c = socket.socket(); assert c.connect_ex(("127.0.1.10", 1)) == errno.ECONNREFUSED
u = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
assert u.connect_ex(("", 0)) != 0
`, echo.port)
		if s, said, _ := talk(t, p, "python3", "-c", program); s.Shell() != 0 ||
			said != "refused\n" {
			t.Errorf("%d %s", s.Shell(), said)
		}
	})
}

// UDP leads nowhere, and the record says where it was to lead.
func TestUDP(t *testing.T) {
	bothLevels(t, func(t *testing.T, p Profile) {
		p = reaching(p, nil, "127.0.1.10")
		s, said, traffic := talk(t, p, "bash", "-c", "echo x > /dev/udp/203.0.113.1/443")
		if s.Shell() == 0 {
			t.Errorf("%q", said)
		}
		if c := only(traffic, "udp"); c == nil || !c.Refused || c.Address != "203.0.113.1:443" {
			t.Errorf("%+v", traffic)
		}
	})
}

// Signals that reach the launcher while it answers do no harm to the answers.
func TestAnswersUnderSignals(t *testing.T) {
	to := hostSite(t, "127.0.1.21", pages("x"))
	p := reaching(Readable(), nil, "127.0.1.21")
	p.Read = append(p.Read, Path{Name: self(t)})
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-done:
				return
			default:
				// which means nothing, and wakes a waiting thread
				_ = unix.Kill(os.Getpid(), unix.SIGURG)
			}
		}
	}()
	if s, said, _ := talkAs(t, p, self(t), "measure", fmt.Sprintf("%s:%d", to.addr, to.port),
		fmt.Sprint(hermetic.Rounds(5000)), "0"); s.Shell() != 0 {
		t.Errorf("%d %s", s.Shell(), said)
	}
}
