package console

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
)

const (
	// mostConnections is how many there are at once: a browser has six, and who opens more than all
	// must not use up the descriptors of this process.
	mostConnections = 256
	// mostOfHost is how many of them another machine may have, so that one alone keeps nobody out.
	// This machine may have all: a proxy on it passes on everybody's.
	mostOfHost = 64
)

// limited is a listener with so many connections at most. If there are too many, the oldest of a
// stranger has to go: nobody keeps others out with requests that never end. It waits when all are
// of sessions.
type limited struct {
	net.Listener
	free chan struct{}

	mu    sync.Mutex
	hosts map[netip.Addr]int
	all   []*counted // the oldest first
}

func newLimited(l net.Listener) *limited {
	return &limited{Listener: l, free: make(chan struct{}, mostConnections),
		hosts: map[netip.Addr]int{}}
}

// Accept takes the next connection once there is room for it. It closes those of a machine that has
// its share.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	default:
		if c := l.oldest(); c != nil {
			c.Close()
		}
		l.free <- struct{}{}
	}
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			<-l.free
			return nil, err
		}
		at, _ := netip.ParseAddrPort(c.RemoteAddr().String())
		if one := l.add(c, at.Addr().Unmap()); one != nil {
			return one, nil
		}
		c.Close()
	}
}

// oldest returns the oldest connection of a stranger; nil if there is none.
func (l *limited) oldest() *counted {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.all, func(c *counted) bool { return !c.known })
	if i < 0 {
		return nil
	}
	return l.all[i]
}

// add counts a connection of a machine; it returns nil if the machine may not have it.
func (l *limited) add(c net.Conn, host netip.Addr) *counted {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosts[host] >= mostOfHost && !host.IsLoopback() {
		return nil
	}
	l.hosts[host]++
	one := &counted{Conn: c, of: l, host: host}
	l.all = append(l.all, one)
	return one
}

// counted is a connection that makes room when it is closed.
type counted struct {
	net.Conn
	of    *limited
	host  netip.Addr
	known bool // a request of a session came over it
}

func (c *counted) Close() error {
	l := c.of
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.all, c); i >= 0 {
		l.all = slices.Delete(l.all, i, i+1)
		if l.hosts[c.host]--; l.hosts[c.host] <= 0 {
			delete(l.hosts, c.host)
		}
		defer func() { <-l.free }()
	}
	return c.Conn.Close()
}

// counting is what the context of a request has its connection under.
type counting struct{}

func withConnection(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	return context.WithValue(ctx, counting{}, c)
}

// keep notes that a request is of a session, so that its connection stays.
func keep(r *http.Request) {
	if c, ok := r.Context().Value(counting{}).(*counted); ok {
		c.of.mu.Lock()
		defer c.of.mu.Unlock()
		c.known = true
	}
}
