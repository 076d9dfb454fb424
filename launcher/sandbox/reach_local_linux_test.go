package sandbox

import (
	"context"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/network"
)

// A taken is a machine where another program takes the port over after the first look at it.
type taken struct {
	internet
	looks *atomic.Int64
}

func (m taken) Listeners(port uint16) ([]network.Listener, error) {
	list, err := network.Stub{}.Listeners(port)
	if m.looks.Add(1) > 1 {
		list = append(list, network.Listener{Socket: 1, Addr: netip.IPv4Unspecified()})
	}
	return list, err
}

// all says that the runs of the workspace have each server.
type all struct{}

func (all) Add(uint64)                         {}
func (all) Whose(socket uint64) (string, bool) { return "", socket != 1 }
func (all) Of([]int) (string, bool)            { return "", false }

// A connection to a server of this machine holds if the same sockets take it before and after; so
// does one that a person has allowed. Blocking and non-blocking sockets behave alike.
func TestLocalServers(t *testing.T) {
	site := hostSite(t, "127.0.0.1", pages("local"))
	program := `
import select, socket, sys
s = socket.socket()
s.setblocking(sys.argv[2] == "waits")
try:
    s.connect(("127.0.0.1", int(sys.argv[1])))
except BlockingIOError:
    select.select([], [s], [])
except OSError as e:
    sys.exit(print(e.strerror))
s.setblocking(True)
try:
    s.send(b"GET / HTTP/1.0\r\n\r\n")
    print(s.makefile().read().split("\n")[-2])
except OSError as e:
    print(e.strerror)
`
	bothLevels(t, func(t *testing.T, p Profile) {
		for _, how := range []string{"waits", "goes on"} {
			for _, test := range []struct {
				name    string
				servers network.Servers
				names   network.Resolver
				ask     string // the answer; "" if no one is asked
				port    uint16
				want    string
			}{
				{"own", all{}, internet{}, "", site.port, "hello from local"},
				{"another's", nil, internet{}, "", site.port, "Permission denied"},
				{"another's, allowed", nil, internet{}, "yes", site.port, "hello from local"},
				{"another's, denied", nil, internet{}, "no", site.port, "Permission denied"},
				{"vacant", nil, internet{}, "no", free(t), "Connection refused"},
				{"own, taken over", all{}, taken{internet{}, new(atomic.Int64)}, "", site.port,
					"Connection refused"},
			} {
				p := p
				p.Network, p.Names, p.Reach.Localhost = Hosts, test.names, true
				p.Reach.Servers = test.servers
				if test.ask != "" {
					p.Reach.Ask = func(_ context.Context, w network.Want) network.Word {
						if !strings.Contains(w.Leads, "sandbox.test (") || w.Host != "localhost" {
							t.Errorf("%s: %+v", test.name, w)
						}
						return network.Word{OK: test.ask == "yes"}
					}
				}
				_, said, _ := talk(t, p, "python3", "-c", program, itoa(int(test.port)), how)
				if !strings.Contains(said, test.want) {
					t.Errorf("%s, %s: %q, want %q", test.name, how, said, test.want)
				}
			}
		}
	})
}

// free is a port on which nothing listens, as long as the test goes on: a socket has it that does
// not listen, so that no other program is given it.
func free(t *testing.T) uint16 {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	must(t, unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	name, err := unix.Getsockname(fd)
	must(t, err)
	return uint16(name.(*unix.SockaddrInet4).Port)
}

// Whatever network a run has, no daemon of this machine is reached by its Unix socket.
func TestDaemonSockets(t *testing.T) {
	name := t.TempDir() + "/sock"
	serve(t, "unix", name)
	serve(t, "unix", "@"+name)
	program := `
import socket, sys
for name in sys.argv[1], "\0" + sys.argv[1]:
    try:
        s = socket.socket(socket.AF_UNIX)
        s.connect(name)
        print("reached", end=";")
    except OSError as e:
        print("refused", end=";")
`
	bothLevels(t, func(t *testing.T, p Profile) {
		for _, p.Network = range []Network{Off, Hosts, Full} {
			p.Read, p.Reach.Localhost = append(p.Read, Path{Name: name}), p.Network == Hosts
			_, said, _ := talk(t, p, "python3", "-c", program, name)
			if said != "refused;refused;" {
				t.Errorf("network %v: %q", p.Network, said)
			}
		}
	})
}

// A daemon's Unix socket is reached after an answer, and only then: by sockets that wait and that
// do not, also where the run's own files do not have it. What is hidden is not asked about.
func TestDaemonsAsked(t *testing.T) {
	far, err := os.MkdirTemp("/run", "far")
	if err != nil { // of an ordinary user
		far = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(far) })
	name, hidden := far+"/sock", t.TempDir()+"/hidden"
	serve(t, "unix", name)
	serve(t, "unix", hidden)
	program := `
import socket, sys
for waits in True, False:
    s = socket.socket(socket.AF_UNIX)
    s.setblocking(waits)
    try:
        s.connect(sys.argv[1])
        s.setblocking(True)
        s.send(b"echo;")
        print(s.recv(9).decode(), end="")
    except OSError as e:
        print(e.strerror, end=";")
`
	bothLevels(t, func(t *testing.T, p Profile) {
		for _, test := range []struct {
			name, want string
			ok         bool
			asked      int
		}{
			{name, "echo;echo;", true, 2},
			{name, "Permission denied;Permission denied;", false, 2},
			{hidden, "", true, 0},
		} {
			p, asked := p, 0
			p.Hide = append(p.Hide, hidden)
			p = reaching(p, internet{})
			p.Reach.Daemons = func(string, []network.Holder) bool { return true }
			p.Reach.Ask = func(_ context.Context, w network.Want) network.Word {
				if asked++; w.Text() != test.name || !strings.Contains(w.Leads, "sandbox.test (") {
					t.Errorf("%+v", w)
				}
				return network.Word{OK: test.ok}
			}
			_, said, _ := talk(t, p, "python3", "-c", program, test.name)
			if said != test.want && test.want != "" || asked != test.asked ||
				test.asked == 0 && strings.Contains(said, "echo") {
				t.Errorf("%s, %v: %q, asked %d times", test.name, test.ok, said, asked)
			}
		}
	})
}
