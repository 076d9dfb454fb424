package console

import (
	"net"
	"net/netip"
	"sync"

	"github.com/tada-run/tada-run/approval/render"
)

const (
	// mostConnections is how many there are at once: a browser has six, and who opens more than all
	// must not use up the descriptors of this process.
	mostConnections = 256
	// mostOfHost is how many of them another machine may have, so that one alone keeps nobody out.
	// This machine may have all: a proxy on it passes on everybody's.
	mostOfHost = 64
)

// limited is a listener that waits when there are so many connections.
type limited struct {
	net.Listener
	free chan struct{}

	mu    sync.Mutex
	hosts map[netip.Addr]int
}

func newLimited(l net.Listener) *limited {
	return &limited{Listener: l, free: make(chan struct{}, mostConnections),
		hosts: map[netip.Addr]int{}}
}

// Accept takes the next connection once there is room for it. It closes those of a machine that has
// its share.
func (l *limited) Accept() (net.Conn, error) {
	l.free <- struct{}{}
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			<-l.free
			return nil, err
		}
		at, _ := netip.ParseAddrPort(c.RemoteAddr().String())
		host := at.Addr().Unmap()
		if !l.add(host) {
			c.Close()
			continue
		}
		return &counted{Conn: c, done: sync.OnceFunc(func() {
			l.remove(host)
			<-l.free
		})}, nil
	}
}

// add counts a connection of a machine, and reports whether it may have it.
func (l *limited) add(host netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosts[host] >= mostOfHost && !host.IsLoopback() {
		return false
	}
	l.hosts[host]++
	return true
}

func (l *limited) remove(host netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosts[host]--; l.hosts[host] <= 0 {
		delete(l.hosts, host)
	}
}

// counted is a connection that makes room when it is closed.
type counted struct {
	net.Conn
	done func()
}

func (c *counted) Close() error {
	defer c.done()
	return c.Conn.Close()
}

// mostLines is how many lines wait for a terminal that does not read.
const mostLines = 256

// maxLine is how much of a line the terminal shows, in bytes.
const maxLine = 1000

// queued returns a function that passes lines on in their order and never waits: no answer waits
// for the terminal. Browsers have written parts of some lines, and the terminal shows codes: so
// nothing in a line is more than text, and it stays one line.
func queued(say func(string)) func(string) {
	lines := make(chan string, mostLines)
	go func() {
		for line := range lines {
			say(render.Inert(line[:min(len(line), maxLine)]))
		}
	}()
	return func(line string) {
		select {
		case lines <- line:
		default:
		}
	}
}
