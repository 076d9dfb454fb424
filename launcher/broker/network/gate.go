package network

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Gate decides for one run. Its methods may be called at the same time.
type Gate struct {
	reach    Reach
	resolver Resolver
	specials []special

	mu    sync.Mutex
	known map[string]*answer
	owner map[netip.Addr][]string // the allowed names that lead to an address
	asked map[netip.Addr]string   // the names behind addresses that were kept back

	standing []string // names that no one has allowed, by the number of their address
	locals   *locals
}

// An answer is what a name resolved to.
type answer struct {
	done  chan struct{} // closed when the rest is filled in
	addrs []netip.Addr  // those that count
	kept  []netip.Addr  // those that were refused
	why   string        // of kept
	err   error
	until time.Time
}

// NewGate returns the gate of a run.
func NewGate(reach Reach, resolver Resolver) *Gate {
	return &Gate{
		reach: reach, resolver: resolver, specials: specials(),
		known: map[string]*answer{}, owner: map[netip.Addr][]string{},
		asked: map[netip.Addr]string{}, locals: newLocals(reach, resolver),
	}
}

// fresh is how long an answer is used before the name is asked for again. Servers say it by record;
// what counts here is that a run which lives long sees a host move, and that one which asks in a
// loop does not make our questions a signal.
const fresh = 30 * time.Second

// Name returns whether a name may be asked for.
func (g *Gate) Name(name string) Verdict {
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	for _, r := range g.reach.Rules {
		if r.names(name) {
			return Verdict{OK: true, Host: name}
		}
	}
	return Verdict{Host: name, Why: "no rule allows it", Fix: name}
}

// Lookup returns the addresses of a name that may be asked for, and that count.
func (g *Gate) Lookup(ctx context.Context, name string) ([]netip.Addr, Verdict, error) {
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	v := g.Name(name)
	if !v.OK {
		return nil, v, nil
	}
	a := g.resolve(ctx, name)
	if a.err == nil && len(a.addrs) == 0 && len(a.kept) > 0 {
		v = Verdict{Host: name, Why: fmt.Sprintf("it resolves to %s (%s)", a.kept[0], a.why),
			Fix: a.kept[0].String()}
		if isCredentials(a.why) {
			v.Fix = ""
		}
	}
	return a.addrs, v, a.err
}

// resolve asks for a name, once for all callers that want it at the same time.
func (g *Gate) resolve(ctx context.Context, name string) *answer {
	g.mu.Lock()
	a := g.known[name]
	if a == nil || isClosed(a.done) && (time.Now().After(a.until) || a.err != nil) {
		a = &answer{done: make(chan struct{})}
		g.known[name] = a
		go g.fill(context.WithoutCancel(ctx), a, name) // others may wait longer than the first
	}
	g.mu.Unlock()
	select {
	case <-a.done:
	case <-ctx.Done():
		return &answer{err: ctx.Err()}
	}
	return a
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// fill resolves, and keeps what counts. An address once given stays the name's for the run: a
// program may hold on to it.
func (g *Gate) fill(ctx context.Context, a *answer, name string) {
	defer close(a.done)
	own, found, err := g.given(name), []netip.Addr(nil), error(nil)
	if own == nil {
		own, found, err = g.resolver.Resolve(ctx, name)
	}
	a.err, a.until = err, time.Now().Add(fresh)
	g.mu.Lock()
	defer g.mu.Unlock()
	keep := func(addr netip.Addr) {
		a.addrs = append(a.addrs, addr)
		for _, n := range g.owner[addr] {
			if n == name {
				return
			}
		}
		g.owner[addr] = append(g.owner[addr], name)
	}
	for _, addr := range own {
		keep(addr.Unmap())
	}
	for _, addr := range found {
		addr = addr.Unmap()
		if w := g.what(addr); w != "" && !g.namesAddr(addr) {
			a.kept, a.why = append(a.kept, addr), w
			g.asked[addr] = name
			continue
		}
		keep(addr)
	}
}

// given returns the addresses that a rule brings along.
func (g *Gate) given(name string) []netip.Addr {
	for _, r := range g.reach.Rules {
		if r.Name == name && r.Addrs != nil {
			return r.Addrs
		}
	}
	return nil
}

// namesAddr reports whether a rule names the address itself, on some port.
func (g *Gate) namesAddr(addr netip.Addr) bool {
	return slices.ContainsFunc(g.reach.Rules, func(r Rule) bool { return g.covers(r, addr) })
}

// covers reports whether a rule names an address, on some port. A net names this machine as little
// as another special address in it.
func (g *Gate) covers(r Rule, addr netip.Addr) bool {
	return r.covers(g.specials, addr) && (r.Net.IsSingleIP() || addr.IsLoopback() || !g.ours(addr))
}

// what returns what is special about an address, or "".
func (g *Gate) what(addr netip.Addr) string {
	if w := what(g.specials, addr); w != "" || !g.ours(addr) {
		return w
	}
	return "this machine"
}

// ours reports whether an address is this machine's.
func (g *Gate) ours(addr netip.Addr) bool { return addr.IsLoopback() || g.resolver.Own(addr) }

// Connect returns whether the run may connect to an address. It may take a while: names are
// resolved when no answer is known yet.
func (g *Gate) Connect(ctx context.Context, to netip.AddrPort) Verdict {
	addr, port := normal(to.Addr()), to.Port()
	v, sure := g.atOnce(addr, port)
	if sure {
		return v
	}
	g.resolveAll(ctx)
	ours := g.ours(addr)
	if g.named(&v, addr, port, ours) || v.Why != "" && !ours {
		return v
	}
	if ours && (g.reach.Localhost || addr.IsLoopback()) {
		return g.locals.decide(addr, port)
	}
	g.mu.Lock()
	kept := g.asked[addr]
	g.mu.Unlock()
	w := g.what(addr)
	switch {
	case kept != "":
		v.Host, v.Why = kept, fmt.Sprintf("it resolves to %s (%s)", addr, w)
	case w != "":
		v.Why = fmt.Sprintf("it is %s", w)
	default:
		v.Why = "no rule allows it, and no allowed name resolved to it"
	}
	if isCredentials(w) {
		v.Fix = "" // a person who means it names it in full, without a hint
	}
	return v
}

// atOnce decides about an address as far as that needs no lookup and no question; unless it is
// sure, names that have not been looked up yet may change it.
func (g *Gate) atOnce(addr netip.Addr, port uint16) (v Verdict, sure bool) {
	v = Verdict{Host: addr.String(), Fix: hostPort(addr.String(), port)}
	ours := g.ours(addr)
	if ours && g.reach.Barred != nil && g.reach.Barred(port) {
		return Verdict{Host: "localhost", Why: "questions are answered there"}, true
	}
	var some []Rule
	for _, r := range g.reach.Rules {
		if g.covers(r, addr) && r.onPort(port) && (r.Local || !ours) {
			if r.any() {
				return Verdict{OK: true, Host: g.nameOf(addr)}, true
			}
			some = append(some, r)
		}
	}
	named := g.named(&v, addr, port, ours)
	if named && v.Rules == nil {
		return v, true
	}
	if ours {
		if local := g.locals.decide(addr, port); local.OK || local.Vacant {
			return local, true
		}
	}
	if some = append(some, v.Rules...); len(some) > 0 {
		return Verdict{OK: true, Host: g.nameOf(addr), Rules: some}, true
	}
	return v, false
}

// normal is an address as it is compared: the one that the kernel takes an unspecified one for, and
// IPv4 as such.
func normal(addr netip.Addr) netip.Addr {
	addr = addr.WithZone("").Unmap()
	switch {
	case !addr.IsUnspecified():
		return addr
	case addr.Is4():
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return netip.IPv6Loopback()
}

// named reports whether an allowed name led to the address, and is allowed on the port; then v says
// so. To one of this machine's own (ours) lead only the rules that may.
func (g *Gate) named(v *Verdict, addr netip.Addr, port uint16, ours bool) bool {
	g.mu.Lock()
	names := g.owner[addr]
	g.mu.Unlock()
	for _, name := range names {
		for _, r := range g.reach.Rules {
			if !r.names(name) || !r.onPort(port) || ours && !r.Local {
				continue
			}
			if v.OK, v.Host = true, name; r.any() {
				*v = Verdict{OK: true, Host: name}
				return true
			}
			v.Rules = append(v.Rules, r)
		}
	}
	if v.OK {
		return true
	}
	if len(names) > 0 && g.Name(names[0]).OK {
		v.Host, v.Why, v.Fix = names[0], "it is allowed on another port", hostPort(names[0], port)
	}
	return false
}

// resolveAll resolves the names that rules spell out and that have not been looked up yet: a
// program may have its addresses from elsewhere, /etc/hosts above all.
func (g *Gate) resolveAll(ctx context.Context) {
	var wait sync.WaitGroup
	for _, name := range g.unresolved() {
		wait.Go(func() { g.resolve(ctx, name) })
	}
	wait.Wait()
}

// unresolved returns the names that rules spell out and that are not answered yet.
func (g *Gate) unresolved() (names []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range g.reach.Rules {
		if r.Name == "" || r.wild() || r.Name == "localhost" {
			continue
		}
		if a := g.known[r.Name]; a == nil || !isClosed(a.done) {
			names = append(names, r.Name)
		}
	}
	return names
}

// nameOf returns the allowed name behind an address, or the address.
func (g *Gate) nameOf(addr netip.Addr) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if names := g.owner[addr]; len(names) > 0 {
		return names[0]
	}
	return addr.String()
}

// Instant reports whether Connect would answer about an address without waiting.
func (g *Gate) Instant(to netip.AddrPort) bool {
	if g.reach.Localhost && g.ours(normal(to.Addr())) {
		return false
	}
	_, sure := g.atOnce(normal(to.Addr()), to.Port())
	return sure || len(g.unresolved()) == 0 && g.reach.Ask == nil
}

// Bind returns whether the run may listen at an address, and at which one it will: an address that
// means all of the machine becomes its loopback, unless the port is published.
func (g *Gate) Bind(at netip.AddrPort) (netip.AddrPort, Verdict) {
	addr, port := at.Addr().Unmap(), at.Port()
	v := Verdict{Host: addr.String(), Fix: "--publish " + strconv.Itoa(int(port))}
	for _, p := range g.reach.Publish {
		if p == port && p != 0 {
			return at, Verdict{OK: true, Host: addr.String()}
		}
	}
	if !g.reach.Localhost {
		v.Why, v.Fix = "the run may not listen on this machine", ""
		return at, v
	}
	switch {
	case addr.IsLoopback():
		return at, Verdict{OK: true, Host: "localhost"}
	case addr.IsUnspecified() && at.Addr().Is4():
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port),
			Verdict{OK: true, Host: "localhost"}
	case addr.IsUnspecified():
		return netip.AddrPortFrom(netip.IPv6Loopback(), port), Verdict{OK: true, Host: "localhost"}
	}
	v.Why = "other machines could connect to it there"
	return at, v
}
