package sandbox

import (
	"fmt"
	"maps"
	"net/netip"
	"os/exec"
	"slices"
	"testing"
)

// sends is every way to name who shall get a packet, each with a port of its own. It prints what
// came of them.
const sends = `
import ctypes, errno, socket, struct
libc = ctypes.CDLL(None, use_errno=True)
server, allowed, other = ("192.0.2.53", 53), "203.0.113.7", "203.0.113.9"
def told(what, call):
    try:
        call()
        print(what, "ok")
    except OSError as e:
        print(what, errno.errorcode[e.errno])
def checked(result):
    if result < 0: raise OSError(ctypes.get_errno(), "")
def inet(host, port, family=socket.AF_INET):
    return struct.pack("=H", family) + struct.pack(">H", port) + socket.inet_aton(host) + bytes(8)
class Vector(ctypes.Structure): _fields_ = [("base", ctypes.c_char_p), ("size", ctypes.c_size_t)]
class Message(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("size", ctypes.c_uint), ("parts", ctypes.POINTER(Vector)), ("count", ctypes.c_size_t), ("control", ctypes.c_void_p), ("room", ctypes.c_size_t), ("flags", ctypes.c_long), ("sent", ctypes.c_long)]
def several(*to):
    part, list = Vector(b"x", 1), (Message * len(to))()
    for i, name in enumerate(to): list[i] = Message(name, len(name), ctypes.pointer(part), 1)
    checked(libc.sendmmsg(s.fileno(), list, len(list), 0))
s, six, way, quic = [socket.socket(f, socket.SOCK_DGRAM) for f in (socket.AF_INET, socket.AF_INET6, socket.AF_INET, socket.AF_INET)]
quic.setblocking(False)
told("sendto", lambda: s.sendto(b"x", (other, 1)))
told("sendmsg", lambda: s.sendmsg([b"x"], [], 0, (other, 2)))
told("sendmsg without signals", lambda: s.sendmsg([b"x"], [], socket.MSG_NOSIGNAL, (other, 3)))
told("sendmmsg", lambda: several(inet(*server), inet(other, 4), inet(other, 5)))
told("of no family", lambda: checked(libc.sendto(s.fileno(), b"x", 1, 0, inet(other, 6, socket.AF_UNSPEC), 16)))
told("ipv6", lambda: six.sendto(b"x", ("2001:db8::9", 7)))
told("ipv4 in ipv6", lambda: six.sendto(b"x", ("::ffff:" + other, 8)))
told("credentials", lambda: s.sendto(b"x", ("169.254.169.254", 9)))
told("allowed for tcp", lambda: s.sendto(b"x", (allowed, 10)))
told("quic", lambda: quic.connect((allowed, 11)))
told("way", lambda: way.connect((allowed, 12)))
told("server", lambda: s.sendto(b"x", server))
told("connected", lambda: way.connect(server))
told("connected, elsewhere", lambda: way.sendto(b"x", (other, 13)))
told("from nowhere", lambda: checked(libc.sendto(s.fileno(), b"x", 1, 0, ctypes.c_void_p(8), 16)))
a, b = socket.socketpair()
told("pair", lambda: a.sendmsg([b"whole"]))
print(b.recv(10))
`

// A packet that is sent without connecting leads nowhere, is told so, and is recorded with who was
// to get it; what leads to a name server goes, and what is no packet.
func TestUnconnectedUDP(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	const said = `sendto ENETUNREACH
sendmsg ENETUNREACH
sendmsg without signals ENETUNREACH
sendmmsg ENETUNREACH
of no family ENETUNREACH
ipv6 ENETUNREACH
ipv4 in ipv6 ENETUNREACH
credentials ENETUNREACH
allowed for tcp ENETUNREACH
quic ENETUNREACH
way ENETUNREACH
server ok
connected ok
connected, elsewhere ENETUNREACH
from nowhere EFAULT
pair ok
b'whole'
`
	want := map[string]string{"[2001:db8::9]:7": "2001:db8::9",
		"169.254.169.254:9": "169.254.169.254", "203.0.113.7:10": "allowed.test",
		"203.0.113.7:11": "allowed.test"}
	for _, port := range []int{1, 2, 3, 4, 5, 6, 8, 13} {
		want[fmt.Sprint("203.0.113.9:", port)] = "203.0.113.9"
	}
	bothLevels(t, func(t *testing.T, p Profile) {
		p = reaching(p, internet{"allowed.test": {netip.MustParseAddr("203.0.113.7")}},
			"allowed.test")
		p.Servers = []netip.AddrPort{netip.MustParseAddrPort("192.0.2.53:53")}
		s, out, traffic := talk(t, p, "python3", "-c", sends)
		if s.Shell() != 0 || out != said {
			t.Errorf("%d %s", s.Shell(), out)
		}
		got := map[string]string{}
		for _, c := range traffic.Connections {
			if c.Kind == "udp" && c.Refused && c.Count == 1 && c.PID != 0 && c.Program != "" &&
				c.Why != "" {
				got[c.Address] = c.Host
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("recorded %v, want %v\n%+v", slices.Sorted(maps.Keys(got)),
				slices.Sorted(maps.Keys(want)), traffic)
		}
	})
}
