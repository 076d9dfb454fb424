package sandbox

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/broker/network"
)

// compiled makes a static program of C.
func compiled(t *testing.T, compiler, source string) string {
	t.Helper()
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("%s is not installed", compiler)
	}
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/c.c", []byte(source), 0o600))
	if out, err := exec.Command(compiler, "-static", "-o", dir+"/c",
		dir+"/c.c").CombinedOutput(); err != nil {
		t.Skipf("%s cannot make static programs here: %s", compiler, out)
	}
	return dir + "/c"
}

// A program of musl's, whose resolver is its own and takes answers only from whom it asked, finds
// the hosts that it may reach.
func TestMusl(t *testing.T) {
	program := compiled(t, "musl-gcc", `
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
int main(int argc, char **argv) {
	struct addrinfo hint = {.ai_socktype = SOCK_STREAM}, *a;
	int e = getaddrinfo(argv[1], argv[2], &hint, &a);
	if (e) { printf("%s\n", gai_strerror(e)); return 1; }
	int s = socket(a->ai_family, a->ai_socktype, 0);
	if (connect(s, a->ai_addr, a->ai_addrlen)) { perror("connect"); return 2; }
	char b[200];
	write(s, "GET / HTTP/1.0\r\n\r\n", 18);
	for (int n; (n = read(s, b, sizeof b)) > 0;) write(1, b, n);
	return 0;
}`)
	allowed := hostSite(t, "127.0.1.31", pages("allowed"))
	names := internet{"allowed.test": {allowed.addr}}
	port := fmt.Sprint(allowed.port)
	bothLevels(t, func(t *testing.T, p Profile) {
		p = reaching(p, names, "allowed.test", allowed.addr.String())
		p.Read = append(p.Read, Path{Name: program})
		if s, said, traffic := talk(t, p, program, "allowed.test", port); s.Shell() != 0 ||
			!strings.Contains(said, "hello from allowed") ||
			only(traffic, "tcp").Host != "allowed.test" {
			t.Errorf("%d %q %+v", s.Shell(), said, traffic)
		}
		if s, said, traffic := talk(t, p, program, "other.test", port); s.Shell() != 1 ||
			only(traffic, "name") == nil {
			t.Errorf("other: %d %q %+v", s.Shell(), said, traffic)
		}
	})
}

// What a UDP socket tells of addresses, and how it receives, is the same at both levels: at Base by
// what stands in for it.
func TestPackets(t *testing.T) {
	program := `
import select, signal, socket, struct, sys
server = ("192.0.2.53", 53)
other = ("192.0.2.54", 53)
def question(name):
    return struct.pack(">6H", 77, 0x100, 1, 0, 0, 0) + b"".join(bytes([len(l)]) + l.encode() for l in name.split(".")) + struct.pack(">BHH", 0, 1, 1)
def check(what, ok, *seen):
    if not ok: print(what, *seen)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 0))
s.sendto(question("allowed.test"), server)
answer, at = s.recvfrom(4096)
check("from", at == server and answer.endswith(bytes([203, 0, 113, 7])), answer, at)
s.sendto(question("allowed.test"), server)
peeked, at = s.recvfrom(4096, socket.MSG_PEEK)
check("peeked", peeked == answer and at == server, peeked, at)
short, at = s.recvfrom(20)
check("short", short == answer[:20] and at == server, short, at)
s.sendto(question("allowed.test"), server)
whole, _ = s.recvfrom(20, socket.MSG_TRUNC)
check("length", whole[:20] == answer[:20], whole)
s.sendto(question("allowed.test"), server)
parts = [bytearray(5), bytearray(9), bytearray(4096)]
n, control, flags, at = s.recvmsg_into(parts)
check("parts", b"".join(parts)[:n] == answer and flags == 0 and control == [] and at == server, n, control, flags, at)
s.sendto(question("allowed.test"), server)
text, control, flags, at = s.recvmsg(20)
check("cut", text == answer[:20] and flags == socket.MSG_TRUNC and at == server, text, flags, at)
check("own name", s.getsockname()[0] == "0.0.0.0", s.getsockname())
c = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
c.setblocking(False)
c.connect(other)
try:
    c.recvfrom(100)
    print("received nothing")
except BlockingIOError:
    pass
c.send(question("allowed.test"))
check("readable", select.select([c], [], [], 10)[0] == [c])
answer, at = c.recvfrom(4096)
check("connected", at == other and c.getpeername() == other and len(c.getsockname()) == 2, at)
six = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
six.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0) if len(sys.argv) > 1 else None
six.sendto(question("allowed.test"), ("::ffff:192.0.2.53", 53))
answer, at = six.recvfrom(4096)
check("six", at[:2] == ("::ffff:192.0.2.53", 53), at)
class Alarm(Exception): pass
def ring(*_): raise Alarm
signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    s.recvfrom(100)
    print("received nothing, waiting")
except Alarm:
    pass
s.settimeout(0.1)
try:
    s.recvfrom(100)
except TimeoutError:
    print("done")
`
	names := internet{"allowed.test": {netip.MustParseAddr("203.0.113.7")}}
	bothLevels(t, func(t *testing.T, p Profile) {
		p = reaching(p, names, "allowed.test")
		p.Servers = []netip.AddrPort{netip.MustParseAddrPort("192.0.2.53:53"),
			netip.MustParseAddrPort("192.0.2.54:53")}
		if s, said, _ := talk(t, p, "python3", "-c", program); s.Shell() != 0 || said != "done\n" {
			t.Errorf("%d %s", s.Shell(), said)
		}
	})
}

// A silent resolver answers when it is told to.
type silent chan struct{}

func (s silent) Resolve(ctx context.Context, _ string) (own, found []netip.Addr, err error) {
	select {
	case <-s:
	case <-ctx.Done():
	}
	return nil, nil, ctx.Err()
}

func (s silent) Own(netip.Addr) bool { return false }

func (s silent) Listeners(port uint16) ([]network.Listener, error) {
	return network.Stub{}.Listeners(port)
}

// Questions without an answer yet wait with the child, not in the launcher.
func TestQuestionsInBulk(t *testing.T) {
	program := `
import socket, struct
name = b"".join(bytes([len(l)]) + l for l in [b"slow", b"test"])
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setblocking(False)
s.connect(("192.0.2.53", 53))
for i in range(20000):
    try:
        s.send(struct.pack(">6H", i, 0x100, 1, 0, 0, 0) + name + struct.pack(">BHH", 0, 1, 1))
    except BlockingIOError:
        pass
print("sent", flush=True)
input()
`
	bothLevels(t, func(t *testing.T, p Profile) {
		answer := make(silent)
		p = reaching(p, nil, "slow.test")
		p.Names, p.Servers = answer, []netip.AddrPort{netip.MustParseAddrPort("192.0.2.53:53")}
		out, in, err := os.Pipe()
		must(t, err)
		defer out.Close()
		wait, goOn, err := os.Pipe()
		must(t, err)
		path, err := exec.LookPath("python3")
		if err != nil {
			t.Skip("python3 is not installed")
		}
		process, _, err := Start(p, Command{Path: path, Argv: []string{"python3", "-c", program},
			Files: []*os.File{wait, in, in}})
		in.Close()
		wait.Close()
		must(t, err)
		said := make([]byte, 100)
		n, _ := out.Read(said)
		if string(said[:n]) != "sent\n" {
			t.Errorf("%q", said[:n])
		}
		if n := runtime.NumGoroutine(); n > 4*256 {
			t.Errorf("%d goroutines in the launcher", n)
		}
		close(answer)
		goOn.WriteString("\n")
		goOn.Close()
		if _, err := process.Wait(); err != nil {
			t.Error(err)
		}
	})
}
