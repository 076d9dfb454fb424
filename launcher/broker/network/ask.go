package network

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Asks reports whether a person is asked about connections that no rule allows.
func (g *Gate) Asks() bool { return g.reach.Ask != nil }

// Ask passes a Want on.
func (g *Gate) Ask(ctx context.Context, w Want) Word { return g.reach.Ask(ctx, w) }

// The addresses of names that no one has allowed yet in this run: they belong to no machine (RFC
// 2544, RFC 4193), and each represents one name. So nothing of a name leaves before it is allowed,
// the question about it is that of the connection, with port and program, and it is one question
// for both families of addresses.
var (
	standing4 = netip.MustParsePrefix("198.18.0.0/15")
	standing6 = netip.MustParsePrefix("fd74:6164:6100::/112")
)

// maxStanding bounds the names of one run that have such an address.
const maxStanding = 4096

// stand returns the addresses that represent a name; none if no one is asked about it.
func (g *Gate) stand(name string) []netip.Addr {
	if !g.Asks() || !validName(name) || g.searched(name) {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	n := slices.Index(g.standing, name)
	if n < 0 {
		if len(g.standing) >= maxStanding {
			return nil
		}
		n, g.standing = len(g.standing), append(g.standing, name)
	}
	low := [2]byte{byte((n + 1) >> 8), byte(n + 1)}
	four, six := standing4.Addr().As4(), standing6.Addr().As16()
	copy(four[2:], low[:])
	copy(six[14:], low[:])
	return []netip.Addr{netip.AddrFrom4(four), netip.AddrFrom16(six)}
}

// stood returns the name that an address represents, or "".
func (g *Gate) stood(addr netip.Addr) string {
	if !standing4.Contains(addr) && !standing6.Contains(addr) {
		return ""
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	b := addr.AsSlice()
	n := int(b[len(b)-2])<<8 + int(b[len(b)-1]) - 1
	if n < 0 || n >= len(g.standing) || addr.Is4() && b[1] != standing4.Addr().As4()[1] {
		return ""
	}
	return g.standing[n]
}

// searched reports whether a name is one that resolvers make of another: with a domain of their
// search list behind it. It does not exist then, and the name itself comes next.
func (g *Gate) searched(name string) bool {
	s, ok := g.resolver.(interface{ SearchDomains() []string })
	return ok && slices.ContainsFunc(s.SearchDomains(), func(domain string) bool {
		rest, found := strings.CutSuffix(name, "."+domain)
		return found && strings.Contains(rest, ".")
	})
}

// Wants returns the question about a connection that was refused. There is no question about
// addresses that give the credentials of this machine away, and about its servers only if those may
// be reached.
func (g *Gate) Wants(to netip.AddrPort) (w Want, ok bool) {
	addr := normal(to.Addr())
	if w.Port, w.Six = to.Port(), addr.Is6(); !g.Asks() || w.Port == 0 {
		return w, false
	}
	if w.Host = g.stood(addr); w.Host != "" {
		return w, true
	}
	if g.ours(addr) {
		return g.wantsLocal(w, addr)
	}
	what := what(g.specials, addr)
	if addr.IsMulticast() || g.never(addr, what) {
		return w, false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	w.addr, w.Host = addr, addr.String()
	if names := g.owner[addr]; len(names) > 0 {
		w.Host, w.Also = names[0], slices.Clone(names[1:])
	} else if kept := g.asked[addr]; kept != "" {
		w.Host = kept
	}
	if what != "" {
		w.Leads = fmt.Sprintf("%s, %s", addr, what)
	}
	return w, true
}

// never reports whether no answer makes an address reachable: only a rule does that names it.
func (g *Gate) never(addr netip.Addr, what string) bool {
	return what == "this machine" || strings.Contains(what, "cloud metadata") ||
		g.resolver.Own(addr)
}

// Lead returns where an allowed Want leads. Again is what has to be asked besides: the name leads
// into a private network.
func (g *Gate) Lead(ctx context.Context, w Want) (addrs []netip.Addr, v Verdict, again *Want) {
	v = Verdict{OK: true, Host: w.Host}
	if w.ours {
		v = g.leadLocal(w)
	}
	if w.addr.IsValid() {
		return []netip.Addr{w.addr}, v, nil
	}
	a := g.resolve(ctx, w.Host)
	no := func(why string) ([]netip.Addr, Verdict, *Want) {
		return nil, Verdict{Host: w.Host, Why: why}, nil
	}
	switch {
	case errors.Is(a.err, ErrNoName):
		return no("there is no such name")
	case a.err != nil:
		return no("its address could not be found: " + a.err.Error())
	case len(a.addrs)+len(a.kept) == 0:
		return no("it has no address")
	}
	for _, addr := range a.addrs {
		if !g.never(addr, what(g.specials, addr)) {
			addrs = append(addrs, addr)
		}
	}
	if len(addrs) > 0 {
		return addrs, v, nil
	}
	addr := slices.Concat(a.kept, a.addrs)[0]
	is := what(g.specials, addr)
	if g.never(addr, is) {
		if is == "" {
			is = "this machine"
		}
		return no(fmt.Sprintf("it resolves to %s (%s)", addr, is))
	}
	w.addr, w.Leads = addr, fmt.Sprintf("%s, %s", addr, is)
	return nil, v, &w
}
