package network

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestParseRule(t *testing.T) {
	for text, want := range map[string]string{
		"github.com":           "github.com",
		"GitHub.com.:443":      "github.com:443",
		"*.example.org:80":     "*.example.org:80",
		"x:*":                  "x",
		"10.1.2.3/16":          "10.1.0.0/16",
		"10.1.2.3:5432":        "10.1.2.3:5432",
		"10.0.0.0/8:22":        "10.0.0.0/8:22",
		"fd00::5":              "[fd00::5]",
		"[fd00::5]:22":         "[fd00::5]:22",
		"[fd00::/8]:22":        "[fd00::]/8:22",
		"::ffff:10.0.0.1":      "10.0.0.1",
		"_sip._tcp.x.test:443": "_sip._tcp.x.test:443",
	} {
		r, err := ParseRule(text)
		if err != nil || r.String() != want {
			t.Errorf("%q: %q, %v; want %q", text, r, err, want)
		}
		if again, err := ParseRule(r.String()); err != nil || again.String() != r.String() {
			t.Errorf("%q does not read as itself: %q, %v", r, again, err)
		}
	}
	for _, text := range []string{"", "*", "*.", "a..b", "a b", "http://x", "x/y", "user@x", "x:0",
		"x:65536", "x:-1", "x:http", "[::1", "[::1]x", "fe80::1%eth0", "a\x00b", "bücher.de",
		strings.Repeat("a", 64), strings.Repeat("a.", 127) + "aa", "10.0.0.0/33", "*.*.x"} {
		if r, err := ParseRule(text); err == nil {
			t.Errorf("%q: %q, no error", text, r)
		}
	}
}

// A zone is who answers which names.
type zone map[string][]string

func (z zone) Resolve(_ context.Context, name string) (own, found []netip.Addr, err error) {
	for _, a := range z[name] {
		if addr, ok := strings.CutPrefix(a, "own "); ok {
			own = append(own, netip.MustParseAddr(addr))
		} else {
			found = append(found, netip.MustParseAddr(a))
		}
	}
	if z[name] == nil {
		err = ErrNoName
	}
	return own, found, err
}

// Own is what the zone says of this machine.
func (z zone) Own(addr netip.Addr) bool { return slices.Contains(z["this machine"], addr.String()) }

// Listeners has a server of another program on each port but 1.
func (z zone) Listeners(port uint16) ([]Listener, error) {
	if port == 1 {
		return nil, nil
	}
	return []Listener{{Socket: uint64(port), Addr: netip.IPv4Unspecified()}}, nil
}

func gate(t testing.TB, z zone, localhost bool, rules ...string) *Gate {
	t.Helper()
	reach := Reach{Localhost: localhost, Publish: []uint16{8080}}
	for _, text := range rules {
		r, err := ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		r.Local = true
		reach.Rules = append(reach.Rules, r)
	}
	return NewGate(reach, z)
}

// Who may be reached, by rule and by what the names lead to.
func TestConnect(t *testing.T) {
	z := zone{
		"site.test": {"203.0.113.7", "2001:db8:1::7"}, "sub.wild.test": {"203.0.113.8"},
		"rebound.test": {"169.254.169.254", "10.0.0.9"},
		"home.test":    {"own 192.168.1.9"}, "half.test": {"203.0.113.9", "127.0.0.1"},
		"nat.test": {"64:ff9b::a00:1"}, "other.test": {"203.0.113.99"},
		"self.test": {"203.0.113.50", "2001:db8:1::50"}, "named.test": {"own 203.0.113.50"},
		"this machine": {"203.0.113.50", "2001:db8:1::50"},
	}
	for _, test := range []struct {
		rule, to string
		want     string // "", or a part of why not
	}{
		{"site.test:443", "203.0.113.7:443", ""},
		{"site.test", "203.0.113.7:8443", ""},
		{"site.test:443", "203.0.113.7:80", "another port"},
		{"site.test:443", "[2001:db8:1::7]:443", ""},
		{"site.test:443", "[::ffff:203.0.113.7]:443", ""},
		{"site.test:443", "203.0.113.99:443", "no rule allows it"},
		{"203.0.113.0/24:443", "203.0.113.99:443", ""},
		{"203.0.113.0/24:443", "203.0.113.99:80", "no rule allows it"},
		{"rebound.test", "169.254.169.254:80", "metadata"},
		{"rebound.test", "10.0.0.9:80", "private"},
		{"10.0.0.9", "10.0.0.9:80", ""},
		{"169.254.169.254", "169.254.169.254:80", ""},
		{"home.test", "192.168.1.9:80", ""},
		{"half.test", "203.0.113.9:80", ""},
		{"half.test", "127.0.0.1:80", "this machine"},
		{"nat.test", "[64:ff9b::a00:1]:80", "private"},
		{"nobody.test", "203.0.113.7:80", "no rule allows it"},
		{"localhost:3000", "127.0.0.1:3000", ""},
		{"localhost:3000", "127.0.0.1:3001", "this machine"},
		{"site.test", "0.0.0.0:80", "this machine"},
		{"site.test", "[::1]:80", "this machine"},
		{"site.test", "[fd00::1]:80", "private"},
		{"site.test", "[fe80::1%eth0]:80", "local link"},
		{"site.test", "[::127.0.0.1]:80", "this machine"},
		{"::/0", "[::a9fe:a9fe]:80", "metadata"},
		{"::/0", "[::cb00:7107]:80", "in an address"},
		{"::/0", "[::1]:80", "this machine"},
		{"::/0", "[2002:a9fe:a9fe::1]:80", "metadata"},
		{"2002::/16", "[2002:a9fe:a9fe::1]:80", "metadata"},
		{"2002::/16", "[2002:cb00:7107::1]:80", ""},
		{"0.0.0.0/0", "203.0.113.7:80", ""},
		{"0.0.0.0/0", "169.254.169.254:80", "metadata"},
		{"0.0.0.0/0", "10.0.0.9:80", "private"},
		{"0.0.0.0/0", "127.0.0.1:80", "this machine"},
		{"169.254.0.0/16", "169.254.169.254:80", "metadata"},
		{"169.254.0.0/16", "169.254.1.1:80", ""},
		{"10.0.0.0/24", "10.0.0.9:80", ""},
		{"::/0", "[fd00:ec2::254]:80", "metadata"},
		{"64:ff9b::/96", "[64:ff9b::a9fe:a9fe]:80", "metadata"},
		{"64:ff9b::/96", "[64:ff9b::cb00:7107]:80", ""},
		{"::/0", "[::ffff:0:a9fe:a9fe]:80", "metadata"},
		{"::/0", "[2001:0:1::5]:80", "tunnel"},
		{"self.test", "203.0.113.50:80", "it resolves to 203.0.113.50 (this machine)"},
		{"self.test", "[2001:db8:1::50]:80", "this machine"},
		{"203.0.113.50", "203.0.113.50:80", ""},
		{"203.0.113.0/24", "203.0.113.50:80", "this machine"},
		{"0.0.0.0/0", "203.0.113.50:80", "this machine"},
		{"named.test", "203.0.113.50:80", ""}, // by /etc/hosts
		{"other.test", "203.0.113.50:80", "this machine"},
	} {
		v := gate(t, z, false, test.rule).Connect(t.Context(), netip.MustParseAddrPort(test.to))
		if v.OK != (test.want == "") || !strings.Contains(v.Why, test.want) {
			t.Errorf("%s, to %s: %+v, want %q", test.rule, test.to, v, test.want)
		}
		if strings.Contains(v.Why, "credentials") && v.Fix != "" {
			t.Errorf("%s, to %s: %q would give credentials away", test.rule, test.to, v.Fix)
		}
		if !v.OK && v.Fix != "" {
			if _, err := ParseRule(v.Fix); err != nil {
				t.Errorf("%s, to %s: %v", test.rule, test.to, err)
			}
		}
	}
	// A name below a domain counts once it was asked for.
	g := gate(t, z, true, "*.wild.test:443")
	if v := g.Connect(t.Context(), netip.MustParseAddrPort("203.0.113.8:443")); v.OK {
		t.Error("nobody has asked for it")
	}
	if addrs, v, err := g.Lookup(t.Context(), "Sub.Wild.Test."); err != nil || !v.OK ||
		len(addrs) != 1 {
		t.Errorf("%v %+v %v", addrs, v, err)
	}
	if v := g.Connect(t.Context(), netip.MustParseAddrPort("203.0.113.8:443")); !v.OK ||
		v.Host != "sub.wild.test" {
		t.Errorf("%+v", v)
	}
	// A name that leads to this machine leads to none of its servers.
	for _, local := range []bool{false, true} {
		if v := gate(t, z, local, "self.test:80").Connect(t.Context(),
			netip.MustParseAddrPort("203.0.113.50:80")); v.OK {
			t.Errorf("localhost %v: %+v", local, v)
		}
	}
	// Of this machine's servers those of the run, but for what passes questions for names on.
	for _, test := range []struct {
		to         string
		ok, vacant bool
	}{
		{"127.0.0.1:5432", false, false}, {"127.0.0.1:1", false, true},
		{"127.0.0.1:3000", true, false}, {"127.0.0.9:3000", true, false},
		{"0.0.0.0:3000", true, false}, {"203.0.113.50:3000", true, false},
		{"203.0.113.50:3001", false, false}, {"[::1]:3000", false, true},
		{"[::ffff:127.0.0.1]:3000", true, false}, {"127.0.0.1:53", false, false},
	} {
		g.Serves(3000)
		g.Serves(53)
		v := g.Connect(t.Context(), netip.MustParseAddrPort(test.to))
		if v.OK != test.ok || v.Vacant != test.vacant {
			t.Errorf("%s: %+v", test.to, v)
		}
	}
	if v := g.Connect(t.Context(), netip.MustParseAddrPort("127.0.0.53:53")); v.OK {
		t.Error("a name server of this machine")
	}
}

// A slow zone answers for a name when it is told to.
type slow struct {
	zone
	asked, answer chan struct{}
}

func (s slow) Resolve(ctx context.Context, name string) (own, found []netip.Addr, err error) {
	if name == "slow.test" {
		close(s.asked)
		<-s.answer
	}
	return s.zone.Resolve(ctx, name)
}

// While a name is being asked for, only what does not depend on it is decided at once: who asks
// about the rest would wait. What listens on this machine is looked at beside.
func TestInstant(t *testing.T) {
	z := slow{zone{"slow.test": {"203.0.113.9"}, "quick.test": {"203.0.113.7"}},
		make(chan struct{}), make(chan struct{})}
	g := gate(t, z.zone, true, "slow.test", "quick.test:443", "10.0.0.9:80")
	g.resolver = z
	instant := func(when string, want ...string) {
		for _, to := range []string{"203.0.113.7:443", "10.0.0.9:80", "127.0.0.1:80",
			"203.0.113.7:80", "10.0.0.9:81", "127.0.0.1:53", "203.0.113.9:80"} {
			if got := g.Instant(netip.MustParseAddrPort(to)); got != slices.Contains(want, to) {
				t.Errorf("%s, %s: %v", when, to, got)
			}
		}
	}
	instant("before", "10.0.0.9:80")
	if _, v, err := g.Lookup(t.Context(), "quick.test"); !v.OK || err != nil {
		t.Fatal(v, err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _, _ = g.Lookup(t.Context(), "slow.test")
	}()
	<-z.asked
	instant("meanwhile", "203.0.113.7:443", "10.0.0.9:80")
	close(z.answer)
	<-done
	instant("afterwards", "203.0.113.7:443", "10.0.0.9:80", "203.0.113.7:80", "10.0.0.9:81",
		"203.0.113.9:80")
}

func TestBind(t *testing.T) {
	open, shut := gate(t, nil, true), gate(t, nil, false)
	for at, want := range map[string]string{
		"127.0.0.1:3000": "127.0.0.1:3000", "0.0.0.0:3000": "127.0.0.1:3000",
		"[::]:3000": "[::1]:3000", "[::1]:0": "[::1]:0",
		"0.0.0.0:8080": "0.0.0.0:8080", "192.168.1.5:3000": "", "0.0.0.0:0": "127.0.0.1:0",
		"[::ffff:0.0.0.0]:1": "[::1]:1", "[::ffff:127.0.0.1]:1": "[::ffff:127.0.0.1]:1",
	} {
		got, v := open.Bind(netip.MustParseAddrPort(at))
		if v.OK != (want != "") || v.OK && got.String() != want {
			t.Errorf("%s: %s %+v, want %q", at, got, v, want)
		}
		if _, v := shut.Bind(netip.MustParseAddrPort(at)); v.OK != strings.HasSuffix(at, ":8080") {
			t.Errorf("%s: %+v", at, v)
		}
	}
}

// query is a question as a program sends it.
func query(name string, kind uint16) []byte {
	m := appendQuery(nil, 77, strings.ToLower(name), kind)
	copy(m[headerSize+1:], name[:strings.IndexByte(name+".", '.')]) // spelled as it came
	return m
}

func TestAnswer(t *testing.T) {
	z := zone{"site.test": {"203.0.113.7", "203.0.113.8", "2001:db8::7"},
		"rebound.test": {"10.0.0.1"}, "cloud.test": {"169.254.169.254"}, "empty.test": {}}
	z["empty.test"] = []string{}
	g := gate(t, z, true, "site.test", "rebound.test", "cloud.test", "empty.test", "gone.test")
	// what asks for something else than addresses no rule helps
	fixes := map[string]string{"evil.test 1": "evil.test", "data.site.test 1": "data.site.test",
		"rebound.test 1": "10.0.0.1"}
	for _, test := range []struct {
		name    string
		kind    uint16
		code    uint16
		addrs   string
		refused bool
	}{
		{"site.test", typeA, codeOK, "[203.0.113.7 203.0.113.8]", false},
		{"SiTe.test", typeA, codeOK, "[203.0.113.7 203.0.113.8]", false},
		{"site.test", typeAAAA, codeOK, "[2001:db8::7]", false},
		{"site.test", 16, codeOK, "[]", false}, // TXT
		{"site.test", 65, codeOK, "[]", false}, // HTTPS
		{"evil.test", typeA, codeNoName, "[]", true},
		{"data.site.test", typeA, codeNoName, "[]", true},
		{"evil.test", 16, codeNoName, "[]", true},
		{"cloud.test", typeA, codeOK, "[]", true},
		{"rebound.test", typeA, codeOK, "[]", true},
		{"gone.test", typeA, codeNoName, "[]", false},
		{"localhost", typeA, codeOK, "[127.0.0.1]", false},
	} {
		reply, v := g.Answer(t.Context(), query(test.name, test.kind))
		addrs, _, code, err := parseAnswer(reply, 77, strings.ToLower(test.name), test.kind)
		if err != nil || code != test.code || netips(addrs) != test.addrs || v.OK == test.refused {
			t.Errorf("%s %d: %v %d %v %+v", test.name, test.kind, addrs, code, err, v)
		}
		if fix := fixes[fmt.Sprint(test.name, " ", test.kind)]; v.Fix != fix {
			t.Errorf("%s %d: %q would allow it, want %q", test.name, test.kind, v.Fix, fix)
		}
	}
	for name, m := range map[string][]byte{
		"short": {1, 2, 3}, "a response": answerTo(question{}, 0, nil, false), "nothing": nil,
	} {
		if reply, _ := g.Answer(t.Context(), m); reply != nil {
			t.Errorf("%s: an answer", name)
		}
	}
	two := query("site.test", typeA)
	binary.BigEndian.PutUint16(two[4:], 2)
	if reply, _ := g.Answer(t.Context(), two); len(reply) < headerSize ||
		reply[3]&0xf != codeFormat {
		t.Errorf("two questions: %x", reply)
	}
	update := query("site.test", typeA)
	update[2] |= 5 << 3
	if reply, _ := g.Answer(t.Context(), update); len(reply) < headerSize ||
		reply[3]&0xf != codeNotImplemented {
		t.Errorf("an update: %x", reply)
	}
	dot := slices.Concat(make([]byte, headerSize), []byte{9}, []byte("site.test"),
		[]byte{0, 0, 1, 0, 1})
	dot[5] = 1
	if reply, _ := g.Answer(t.Context(), dot); len(reply) < headerSize ||
		reply[3]&0xf != codeFormat {
		t.Errorf("a dot in a label: %x", reply)
	}
}

func netips(addrs []netip.Addr) string {
	var s []string
	for _, a := range addrs {
		s = append(s, a.String())
	}
	return "[" + strings.Join(s, " ") + "]"
}

// An answer of a server is read by its aliases, and what it says of other names does not count.
func TestParseAnswer(t *testing.T) {
	m := appendQuery(nil, 5, "a.test", typeA)[:headerSize+8+4]
	m[2] |= 0x80
	binary.BigEndian.PutUint16(m[6:], 4)
	binary.BigEndian.PutUint16(m[10:], 0)
	record := func(owner string, kind uint16, data []byte) {
		m = binary.BigEndian.AppendUint16(appendName(m, owner), kind)
		m = append(m, 0, 1, 0, 0, 0, 9, 0, byte(len(data)))
		m = append(m, data...)
	}
	record("stray.test", typeA, []byte{6, 6, 6, 6})
	record("a.test", typeCNAME, appendName(nil, "b.test"))
	record("b.test", typeA, []byte{203, 0, 113, 1})
	record("a.test", typeA, []byte{6, 6, 6, 7})
	addrs, truncated, code, err := parseAnswer(m, 5, "a.test", typeA)
	if err != nil || truncated || code != 0 || netips(addrs) != "[203.0.113.1]" {
		t.Errorf("%v %v %d %v", addrs, truncated, code, err)
	}
	for at := range m {
		if _, _, _, err := parseAnswer(m[:at], 5, "a.test", typeA); err == nil {
			t.Errorf("%d bytes are a whole answer", at)
		}
	}
	if _, _, _, err := parseAnswer(m, 6, "a.test", typeA); err != errMessage {
		t.Errorf("another's answer: %v", err)
	}
	if _, _, _, err := parseAnswer(m, 5, "c.test", typeA); err != errMessage {
		t.Errorf("an answer about something else: %v", err)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/hosts",
		[]byte("127.0.0.1 localhost # x\n10.0.0.5\tintern.test Intern\n# 1.2.3.4 no.test\n"+
			"bad line\nfd00::5 intern.test\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := netips(inFile(dir+"/hosts", "intern.test")); got != "[10.0.0.5 fd00::5]" {
		t.Error(got)
	}
	if got := inFile(dir+"/hosts", "no.test"); got != nil {
		t.Error(got)
	}
	if err := os.WriteFile(dir+"/resolv",
		[]byte("search x\nnameserver 10.0.0.1\nnameserver nonsense\nnameserver fd00::1 # y\n"+
			"nameserver 1.1.1.1\nnameserver 9.9.9.9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := servers(dir + "/resolv"); len(got) != 3 || got[1].String() != "[fd00::1]:53" {
		t.Error(got)
	}
	if got := servers(dir + "/none"); len(got) != 1 || got[0].String() != "127.0.0.1:53" {
		t.Error(got)
	}
}

// The kernel knows which addresses are this machine's.
func TestOwn(t *testing.T) {
	own := map[string]bool{"127.0.0.1": true, "127.9.9.9": true, "203.0.113.7": false,
		"::ffff:127.0.0.1": true, "::ffff:203.0.113.7": false, "2001:db8::7": false}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		own[a.(*net.IPNet).IP.String()] = true
	}
	for addr, want := range own {
		if got := System().Own(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: %v", addr, got)
		}
	}
}

// Whatever comes, a question is answered with its own question or not at all, in at most what DNS
// allows over UDP, and nothing panics.
func FuzzMessage(f *testing.F) {
	f.Add(query("site.test", typeA), uint16(77))
	f.Add(query("evil.test", typeAAAA), uint16(1))
	f.Add([]byte{0, 5, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0, 1, 'a', 0, 0, 1, 0, 1, 0xc0, 12, 0, 1, 0,
		1, 0, 0, 0, 1, 0, 4, 1, 2, 3, 4}, uint16(5))
	f.Add([]byte{0, 5, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0, 0xc0, 12, 0, 1, 0, 1}, uint16(5))
	g := gate(f, zone{"site.test": {"203.0.113.7"}}, true, "site.test")
	f.Fuzz(func(t *testing.T, m []byte, id uint16) {
		reply, v := g.Answer(context.Background(), m)
		if reply != nil && (len(reply) > 512 || len(reply) < headerSize ||
			string(reply[:2]) != string(m[:2]) || reply[2]&0x80 == 0) {
			t.Errorf("%x: %x", m, reply)
		}
		if v.OK && v.Host != "" && v.Host != "site.test" {
			t.Errorf("%x: %q was allowed", m, v.Host)
		}
		_, _, _, _ = parseAnswer(m, id, "a", typeA)
	})
}

func FuzzRule(f *testing.F) {
	for _, s := range []string{"a.b:1", "*.x", "[::1]:2", "10.0.0.0/8", "[fd00::/8]:1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRule(text)
		if err != nil {
			return
		}
		again, err := ParseRule(r.String())
		if err != nil || again.String() != r.String() {
			t.Errorf("%q: %q: %q, %v", text, r, again, err)
		}
	})
}
