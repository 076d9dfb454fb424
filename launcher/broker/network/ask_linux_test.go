package network

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// asking is a gate at which a person is asked, and approves.
func asking(r Resolver) *Gate {
	return NewGate(Reach{Ask: func(context.Context, Want) Word { return Word{OK: true} }}, r)
}

// held is the question about a name: what the connection of a program to it waits for.
func held(t *testing.T, g *Gate, name string) Want {
	t.Helper()
	addrs := g.stand(name)
	if len(addrs) != 2 {
		t.Fatalf("%s stands at %v", name, addrs)
	}
	var list []Want
	for _, addr := range addrs { // one question for both families
		w, ok := g.Wants(netip.AddrPortFrom(addr, 443))
		if !ok || w.Host != name || w.Six != addr.Is6() {
			t.Fatalf("%s: %+v %v", name, w, ok)
		}
		w.Six = false
		list = append(list, w)
	}
	if fmt.Sprint(list[0]) != fmt.Sprint(list[1]) {
		t.Errorf("two questions: %+v", list)
	}
	return list[0]
}

// A yes to a name leads to no server of this machine and to no credentials, wherever the name
// leads; into a private network it leads after another yes, that was told so.
func TestLead(t *testing.T) {
	many := []string{}
	for i := range 500 {
		many = append(many, fmt.Sprintf("203.0.%d.%d", 114+i/250, i%250))
	}
	g := asking(zone{
		"public.test": {"203.0.113.9"}, "six.test": {"2606:4700::1"}, "many.test": many,
		"loop.test": {"127.0.0.1"}, "loop6.test": {"::1"}, "mapped.test": {"::ffff:127.0.0.1"},
		"any.test": {"0.0.0.0"}, "own.test": {"203.0.113.50"}, "none.test": {},
		"cloud.test": {"169.254.169.254"}, "cloud6.test": {"fd00:ec2::254"},
		"nat64.test": {"64:ff9b::169.254.169.254"}, "hosts.test": {"own 127.0.0.1"},
		"mixed.test": {"169.254.169.254", "127.0.0.1", "203.0.113.9"},
		"inner.test": {"10.1.2.3"}, "this machine": {"203.0.113.50"},
	})
	for _, tt := range []struct{ name, want string }{
		{"public.test", "203.0.113.9"},
		{"six.test", "2606:4700::1"},
		{"mixed.test", "203.0.113.9"},
		{"loop.test", "it resolves to 127.0.0.1 (this machine)"},
		{"loop6.test", "it resolves to ::1 (this machine)"},
		{"mapped.test", "it resolves to 127.0.0.1 (this machine)"},
		{"any.test", "it resolves to 0.0.0.0 (this machine)"},
		{"own.test", "it resolves to 203.0.113.50 (this machine)"},
		{"hosts.test", "it resolves to 127.0.0.1 (this machine)"},
		{"cloud.test", "(the credentials of the machine (cloud metadata))"},
		{"cloud6.test", "(the credentials of the machine (cloud metadata))"},
		{"nat64.test", "(the credentials of the machine (cloud metadata))"},
		{"none.test", "it has no address"},
		{"nowhere.test", "there is no such name"},
		{"inner.test", "again: 10.1.2.3, a private network"},
	} {
		addrs, v, again := g.Lead(t.Context(), held(t, g, tt.name))
		got := fmt.Sprint(addrs)
		if again != nil {
			got = "again: " + again.Leads
		} else if !v.OK {
			got = v.Why
		}
		if !strings.Contains(got, tt.want) || again == nil && v.OK != (len(addrs) > 0) {
			t.Errorf("%s: %q %v, want %q", tt.name, got, v, tt.want)
		}
	}
	if addrs, _, _ := g.Lead(t.Context(), held(t, g, "many.test")); len(addrs) != 500 {
		t.Errorf("%d of 500", len(addrs))
	}
	for _, text := range []string{"127.0.0.1:80", "[::1]:80", "0.0.0.0:80", "203.0.113.50:80",
		"169.254.169.254:80", "[fd00:ec2::254]:80", "224.0.0.1:80", "203.0.113.9:0"} {
		if w, ok := g.Wants(netip.MustParseAddrPort(text)); ok {
			t.Errorf("somebody is asked about %s: %+v", text, w)
		}
	}
}

// turning is a zone that has another address for a name each time.
type turning struct {
	zone
	turns *[]string
}

func (z turning) Resolve(context.Context, string) (own, found []netip.Addr, err error) {
	next := (*z.turns)[0]
	*z.turns = (*z.turns)[1:]
	return nil, []netip.Addr{netip.MustParseAddr(next)}, nil
}

// A name that leads elsewhere the second time (DNS rebinding) is asked about again, and what was
// asked about is what is connected to.
func TestLeadRebound(t *testing.T) {
	g := asking(turning{turns: &[]string{"203.0.113.9", "10.1.2.3", "127.0.0.1", "192.168.0.1"}})
	older := func() { g.known["turn.test"].until = time.Time{} }
	w := held(t, g, "turn.test")
	if addrs, v, again := g.Lead(t.Context(), w); fmt.Sprint(addrs) != "[203.0.113.9]" ||
		again != nil {
		t.Fatalf("%v %v %v", addrs, v, again)
	}
	older()
	addrs, v, again := g.Lead(t.Context(), w)
	if len(addrs) > 0 || again == nil || again.Leads != "10.1.2.3, a private network" {
		t.Fatalf("%v %v %+v", addrs, v, again)
	}
	older()
	if addrs, _, more := g.Lead(t.Context(), *again); fmt.Sprint(addrs) != "[10.1.2.3]" ||
		more != nil {
		t.Errorf("the yes was to 10.1.2.3, and leads to %v", addrs)
	}
	if addrs, v, _ := g.Lead(t.Context(), w); len(addrs) > 0 || !strings.Contains(v.Why,
		"127.0.0.1 (this machine)") {
		t.Errorf("%v %v", addrs, v)
	}
}

// A name server that does not answer is given up on, in plain words; a caller that stops waiting
// does not wait for it, and the next one to ask gets the same answer.
func TestSilentServer(t *testing.T) {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	server := c.LocalAddr().(*net.UDPAddr).AddrPort()
	g := asking(Stub{Hosts: "/nowhere", Servers: []netip.AddrPort{server}})
	w := held(t, g, "silent.test")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, v, _ := g.Lead(gone, w); v.OK || !strings.Contains(v.Why, "canceled") {
		t.Errorf("%+v", v)
	}
	_, v, again := g.Lead(t.Context(), w) // the limit of the test's time is that of the wait
	want := fmt.Sprintf("its address could not be found: name %q: name server %s does not answer",
		"silent.test", server)
	if v.OK || v.Why != want || again != nil {
		t.Errorf("%+v, want %q", v, want)
	}
}
