package sandbox

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/broker"
	"github.com/tada-run/tada-run/launcher/broker/network"
)

// An internet is a resolver of names for tests, as far as they go.
type internet map[string][]netip.Addr

func (w internet) Resolve(_ context.Context, name string) (own, found []netip.Addr, err error) {
	if addrs, ok := w[name]; ok {
		return nil, addrs, nil
	}
	return nil, nil, network.ErrNoName
}

// Own is false for all: addresses of the loopback stand for hosts of the internet.
func (w internet) Own(netip.Addr) bool { return false }

func (w internet) Listeners(port uint16) ([]network.Listener, error) {
	return network.Stub{}.Listeners(port)
}

// A site is a server on an address of the loopback of its own, which stands for a host of the
// internet.
type site struct {
	addr netip.Addr
	port uint16
}

// hostSite serves HTTP on an address until the test ends.
func hostSite(t *testing.T, addr string, handler http.Handler) site {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(addr, "0"))
	must(t, err)
	server := &http.Server{Handler: handler, Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	ap := netip.MustParseAddrPort(l.Addr().String())
	return site{ap.Addr(), ap.Port()}
}

// pages answers every request with "hello from NAME".
func pages(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		fmt.Fprintln(w, "hello from "+name)
	})
}

// reaching is a profile that may reach what the rules say. Addresses of the loopback stand for
// hosts, so they are named beside them.
func reaching(p Profile, names internet, rules ...string) Profile {
	p.Network, p.Names = Hosts, names
	for _, text := range rules {
		r, err := network.ParseRule(text)
		if err != nil {
			panic(err)
		}
		r.Local = true
		p.Reach.Rules = append(p.Reach.Rules, r)
	}
	return p
}

// talk runs a program in the sandbox and returns how it ended, what it said, and what it did with
// the network.
func talk(t *testing.T, p Profile, argv ...string) (Status, string, broker.Traffic) {
	t.Helper()
	out, in, err := os.Pipe()
	must(t, err)
	defer out.Close()
	path, err := exec.LookPath(argv[0])
	if err != nil {
		t.Skipf("%s is not installed", argv[0])
	}
	process, _, err := Start(p, Command{Path: path, Argv: argv,
		Env:   []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/nowhere", "LC_ALL=C"},
		Files: []*os.File{nil, in, in}})
	in.Close()
	must(t, err)
	text, _ := io.ReadAll(out)
	s, err := process.Wait()
	must(t, err)
	return s, string(text), process.Traffic()
}

func bothLevels(t *testing.T, f func(t *testing.T, p Profile)) {
	for _, level := range []Level{Base, Strong} {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			p := Readable()
			p.Require, p.Most = level, level
			p.Write = []Path{{Name: t.TempDir()}}
			f(t, p)
		})
	}
}

// clients are programs that each find their hosts in their own way. The page is printed on success.
var clients = map[string]func(url string) []string{
	"curl": func(url string) []string { return []string{"curl", "-sS", "-m", "10", url} },
	"wget": func(url string) []string {
		return []string{"wget", "-q", "-t", "1", "-T", "10", "-O", "-", url}
	},
	"python": func(url string) []string {
		return []string{"python3", "-c",
			"import urllib.request,sys;print(urllib.request.urlopen(sys.argv[1],timeout=10).read().decode())", url}
	},
	"node": func(url string) []string {
		return []string{"node", "-e",
			"fetch(process.argv[1]).then(r=>r.text()).then(t=>console.log(t)).catch(e=>{console.error(String(e),String(e.cause));process.exit(1)})", url}
	},
	"bash": func(url string) []string {
		host := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/")
		name, port, _ := strings.Cut(host, ":")
		return []string{"bash", "-c",
			fmt.Sprintf(`exec 3<>/dev/tcp/%s/%s && printf 'GET / HTTP/1.0\r\nHost: x\r\n\r\n' >&3 && cat <&3`, name, port)}
	},
}

// Real clients reach the host that is allowed, by its name, and not the one that is not.
func TestClients(t *testing.T) {
	allowed, other := hostSite(t, "127.0.1.1", pages("allowed")),
		hostSite(t, "127.0.1.2", pages("other"))
	names := internet{"allowed.test": {allowed.addr}, "other.test": {other.addr}}
	bothLevels(t, func(t *testing.T, p Profile) {
		p = reaching(p, names, fmt.Sprintf("allowed.test:%d", allowed.port), allowed.addr.String())
		for name, argv := range clients {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s, said, traffic := talk(t, p,
					argv(fmt.Sprintf("http://allowed.test:%d/", allowed.port))...)
				if s.Shell() != 0 || !strings.Contains(said, "hello from allowed") {
					t.Errorf("allowed: %d %q %+v", s.Shell(), said, traffic)
				}
				if c := only(traffic, "tcp"); c == nil || c.Refused || c.Host != "allowed.test" ||
					c.Received <= 0 || c.Sent <= 0 || c.PID == 0 || filepath.Base(c.Program) == "" {
					t.Errorf("allowed: recorded %+v", traffic)
				}
				s, said, traffic = talk(t, p,
					argv(fmt.Sprintf("http://other.test:%d/", other.port))...)
				if s.Shell() == 0 || strings.Contains(said, "hello") {
					t.Errorf("other: %d %q", s.Shell(), said)
				}
				if c := only(traffic, "name"); c == nil || !c.Refused || c.Host != "other.test" {
					t.Errorf("other: recorded %+v", traffic)
				}
				s, said, traffic = talk(t, p,
					argv(fmt.Sprintf("http://%s:%d/", other.addr, other.port))...)
				if s.Shell() == 0 || strings.Contains(said, "hello") {
					t.Errorf("address: %d %q", s.Shell(), said)
				}
				if c := only(traffic, "tcp"); c == nil || !c.Refused {
					t.Errorf("address: %d %q, recorded %+v", s.Shell(), said, traffic)
				}
			})
		}
	})
}

// only returns the first entry of a kind.
func only(t broker.Traffic, kind string) *broker.Connection {
	for i := range t.Connections {
		if t.Connections[i].Kind == kind {
			return &t.Connections[i]
		}
	}
	return nil
}
