package network

import (
	_ "embed"
	"net/netip"
	"strings"
)

// A special is a range that a name of the internet has no business to lead to.
type special struct {
	net  netip.Prefix
	what string
}

// specials returns the ranges, the most special first: the registries of RFC 6890, without those
// that lead anywhere by design.
func specials() (list []special) {
	for line := range strings.Lines(specialText) {
		if net, is, ok := strings.Cut(strings.TrimSpace(line), " "); ok && net != "#" {
			list = append(list, special{netip.MustParsePrefix(net), is})
		}
	}
	return list
}

//go:embed special.txt
var specialText string

// embedded are the IPv6 ranges that carry an IPv4 address: where it leads decides.
var embedded = []struct {
	net string
	at  int // the first of its four bytes
}{
	{"64:ff9b::/96", 12},    // NAT64, RFC 6052
	{"2002::/16", 2},        // 6to4, RFC 3056
	{"::ffff:0:0:0/96", 12}, // translated, RFC 7915
	{"::/96", 12},           // compatible, RFC 4291 §2.5.5.1
}

// what returns what is special about an address, or "".
func what(list []special, addr netip.Addr) string {
	s, _ := find(list, addr)
	return s.what
}

// Special returns what is special about an address that a name of the internet has no business to
// lead to, such as "a private network"; "" for any other.
func Special(addr netip.Addr) string { return what(specials(), addr) }

// find returns the range that an address is in, and whether it is that of an address which it
// carries; the zero special is none.
func find(list []special, addr netip.Addr) (s special, carried bool) {
	addr = addr.Unmap().WithZone("")
	for _, e := range embedded {
		if addr.Is6() && netip.MustParsePrefix(e.net).Contains(addr) {
			b := addr.As16()
			if s := among(list, netip.AddrFrom4([4]byte(b[e.at:e.at+4]))); s.what != "" {
				return s, true
			}
			break
		}
	}
	return among(list, addr), false
}

// among returns the range that an address itself is in.
func among(list []special, addr netip.Addr) special {
	for _, s := range list {
		if s.net.Contains(addr) {
			return s
		}
	}
	return special{}
}

// isCredentials reports whether what is special about an address is that it gives the machine's
// credentials away.
func isCredentials(what string) bool { return strings.HasPrefix(what, "the credentials") }

func loopbacks() []netip.Addr {
	return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}
}
