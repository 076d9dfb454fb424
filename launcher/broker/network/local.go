package network

import (
	"net/netip"
	"slices"
)

// Serves notes that the run listens with a socket.
func (g *Gate) Serves(socket uint64) { g.locals.serves(socket) }

// Taken reports whether another program listens on a port of the loopback. Runs do not get it then:
// a server beside it, at the other family's address or by SO_REUSEPORT, would have its clients.
func (g *Gate) Taken(port uint16) bool { return port != 0 && g.locals.taken(port) }

// wantsLocal is the question about a server of this machine that no run of the workspace has.
func (g *Gate) wantsLocal(w Want, addr netip.Addr) (Want, bool) {
	barred := g.reach.Barred != nil && g.reach.Barred(w.Port)
	if !g.reach.Localhost || barred || closed(w.Port) != "" {
		return w, false
	}
	w.addr, w.ours, w.Host = addr, true, localName(addr)
	if addr.IsLoopback() && addr != netip.IPv6Loopback() && addr != loopbacks()[0] {
		w.Host = addr.String()
	}
	w.Leads = g.locals.describe(g.locals.listens(addr, w.Port))
	return w, w.Leads != ""
}

// leadLocal looks again after an answer: it was about the server that the question named.
func (g *Gate) leadLocal(w Want) Verdict {
	l := g.locals.listens(w.addr, w.Port)
	if g.locals.describe(l) != w.Leads {
		return Verdict{Host: w.Host, Why: "another server listens there now"}
	}
	return Verdict{OK: true, Host: w.Host, Sockets: l.sockets()}
}

// Still reports whether the same sockets take connections at an address of this machine as when it
// was allowed for their sake.
func (g *Gate) Still(to netip.AddrPort, sockets []uint64) bool {
	l := g.locals.listens(normal(to.Addr()), to.Port())
	return l.unknown && len(sockets) == 0 || !l.unknown && slices.Equal(l.sockets(), sockets)
}
