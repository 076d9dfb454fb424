package sandbox

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// races is how often the connect is ended (with -short, a tenth): enough that some of it falls into
// the moment in which the launcher has looked at the address and not yet listened.
const races = 3000

// listenRaceMain listens with a socket whose connect is under way, which gives it an address of the
// loopback, while another thread ends that connect, which takes the address away: what listens then
// is reachable from every machine. It says how often that came about.
func listenRaceMain(args []string) {
	to := netip.MustParseAddrPort(args[0])
	races, _ := strconv.ParseInt(args[1], 10, 64)
	var fd, turn, done atomic.Int64
	go func() {
		runtime.LockOSThread()
		for n := int64(1); ; n++ {
			for turn.Load() < n {
				runtime.Gosched()
			}
			for range (n * 37) % 4000 { // not always at the same moment
				_ = turn.Load()
			}
			_ = unix.Shutdown(int(fd.Load()), unix.SHUT_RDWR)
			done.Store(n)
		}
	}()
	everywhere, listening := 0, 0
	for n := int64(1); n <= races; n++ {
		s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := unix.Connect(s,
			&unix.SockaddrInet4{Addr: to.Addr().As4(),
				Port: int(to.Port())}); err != unix.EINPROGRESS {
			fmt.Println(err)
			return
		}
		fd.Store(int64(s))
		turn.Store(n)
		if unix.Listen(s, 1) == nil {
			listening++
		}
		for done.Load() < n {
			runtime.Gosched()
		}
		accepts, _ := unix.GetsockoptInt(s, unix.SOL_SOCKET, unix.SO_ACCEPTCONN)
		if at, err := unix.Getsockname(s); err == nil && accepts != 0 &&
			at.(*unix.SockaddrInet4).Addr == [4]byte{} {
			everywhere++
		}
		unix.Close(s)
	}
	fmt.Println("everywhere", everywhere, "listening", listening)
}

// A connect that ends while the run listens does not open the run to other machines.
func TestListenRace(t *testing.T) {
	server := stuck(t, [4]byte{127, 0, 1, 41})
	bothLevels(t, func(t *testing.T, p Profile) {
		p.Read = append(p.Read, Path{Name: self(t)})
		p = reaching(p, internet{}, server.addr.String())
		p.Reach.Localhost = true
		s, said, _ := talkAs(t, p, self(t), "listen-race",
			fmt.Sprintf("%s:%d", server.addr, server.port), fmt.Sprint(hermetic.Rounds(races)))
		if s.Shell() != 0 || !strings.HasPrefix(said, "everywhere 0 ") {
			t.Errorf("%d %s", s.Shell(), said)
		}
		t.Log(said)
	})
}

// Who holds streams of questions open holds a bounded number of the launcher's descriptors, and is
// answered again when it lets go.
func TestStreamsInBulk(t *testing.T) {
	program := fmt.Sprintf(`
import socket, struct
question = struct.pack(">6H", 77, 0x100, 1, 0, 0, 0) + b"\7allowed\4test" + struct.pack(">BHH", 0, 1, 1)
def ask():
    s = socket.create_connection(("192.0.2.53", 53))
    try:
        s.sendall(struct.pack(">H", len(question)) + question)
        return s, len(s.recv(4096)) > 2
    except ConnectionError:
        return s, False
held = [ask() for _ in range(%d)]
answered = sum(ok for _, ok in held)
print("bounded" if 0 < answered < len(held) else answered, flush=True)
for s, _ in held: s.close()
while not ask()[1]: pass
print("again")
`, 2*128) // twice as many as the broker answers at the same time
	bothLevels(t, func(t *testing.T, p Profile) {
		if _, err := exec.LookPath("python3"); err != nil {
			t.Skip("python3 is not installed")
		}
		p = reaching(p, internet{"allowed.test": {netip.MustParseAddr("203.0.113.7")}},
			"allowed.test")
		p.Servers = []netip.AddrPort{netip.MustParseAddrPort("192.0.2.53:53")}
		if s, said, _ := talk(t, p, "python3", "-c", program); s.Shell() != 0 ||
			said != "bounded\nagain\n" {
			t.Errorf("%d %s", s.Shell(), said)
		}
	})
}

// The process that answers streams of questions listens on this machine's loopback, and answers
// only the run.
func TestStreamsOfOthers(t *testing.T) {
	const program = `
import socket, struct
question = struct.pack(">6H", 77, 0x100, 1, 0, 0, 0) + b"\7allowed\4test" + struct.pack(">BHH", 0, 1, 1)
s = socket.create_connection(("192.0.2.53", 53))
print(s.getpeername()[1], flush=True)
input()
s.sendall(struct.pack(">H", len(question)) + question)
print(len(s.recv(4096)) > 2)
`
	bothLevels(t, func(t *testing.T, p Profile) {
		path, err := exec.LookPath("python3")
		if err != nil {
			t.Skip("python3 is not installed")
		}
		p = reaching(p, internet{"allowed.test": {netip.MustParseAddr("203.0.113.7")}},
			"allowed.test")
		p.Servers = []netip.AddrPort{netip.MustParseAddrPort("192.0.2.53:53")}
		out, in, err := os.Pipe()
		must(t, err)
		defer out.Close()
		wait, goOn, err := os.Pipe()
		must(t, err)
		process, _, err := Start(p, Command{Path: path, Argv: []string{"python3", "-c", program},
			Files: []*os.File{wait, in, in}})
		in.Close()
		wait.Close()
		must(t, err)
		var port int
		if _, err := fmt.Fscanln(out, &port); err != nil {
			t.Error(err)
		}
		other, err := net.Dial("tcp4", fmt.Sprint("127.0.0.1:", port))
		must(t, err)
		defer other.Close()
		_, _ = other.Write([]byte("\x00\x1e\x00M\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07allowed\x04test\x00\x00\x01\x00\x01"))
		if said, _ := io.ReadAll(other); len(said) > 0 {
			t.Errorf("another program is answered: %x", said)
		}
		_, _ = goOn.WriteString("\n")
		goOn.Close()
		said, _ := io.ReadAll(out)
		if _, err := process.Wait(); err != nil || string(said) != "True\n" {
			t.Errorf("%v %q", err, said)
		}
	})
}
