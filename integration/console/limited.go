package console

import (
	"net"
	"sync"
)

// mostConnections is how many there are at once: a browser has six, and who opens more than all
// must not use up the descriptors of this process.
const mostConnections = 256

// limited is a listener that waits when there are so many connections.
type limited struct {
	net.Listener
	free chan struct{}
}

func newLimited(l net.Listener) *limited {
	return &limited{l, make(chan struct{}, mostConnections)}
}

// Accept takes the next connection once there is room for it.
func (l *limited) Accept() (net.Conn, error) {
	l.free <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &counted{Conn: c, done: sync.OnceFunc(func() { <-l.free })}, nil
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

// queued returns a function that passes lines on in their order and never waits: no answer waits
// for the terminal.
func queued(say func(string)) func(string) {
	lines := make(chan string, mostLines)
	go func() {
		for line := range lines {
			say(line)
		}
	}()
	return func(line string) {
		select {
		case lines <- line:
		default:
		}
	}
}
