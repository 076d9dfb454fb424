//go:build amd64 || arm64

package broker

import (
	"os"
	"sync"
)

// maxConnections bounds what is kept of one run, and maxRefusals how much of that may be refusals:
// a program that tries every address must not thereby hide where it gets through. Beyond that a
// connection is counted where there is one to the same place, and else among those that are left.
const (
	maxConnections = 512
	maxRefusals    = 256
)

// A connectionLog keeps what a run did with the network.
type connectionLog struct {
	mu      sync.Mutex
	list    []*Connection
	left    int
	refused map[string]*Connection
	changed chan struct{} // holds one when the list has grown; nil when no one asks
	socketWatch
}

func newConnectionLog() *connectionLog { return &connectionLog{changed: make(chan struct{}, 1)} }

// A socketWatch learns how much went through the sockets of a run. The kernel says so when it takes
// a socket apart: to hold the socket open and ask it would keep the other side waiting for its end.
// The lock of the log is held over all of it.
type socketWatch struct {
	open    map[uint64]*Connection // connections of the run, by the kernel's name of the socket
	serving map[uint16]*Connection // by the port where the run listens
	ends    map[ports]side         // of connections to what the run serves

	reports *os.File // of the kernel, about sockets that are gone; nil until the first connection
	watched bool
	partial bool       // not all reports about what the run served will come
	overrun bool       // a report was lost, because a busy machine has too many
	heard   *sync.Cond // a report has come

	asked map[uint64]bool // sockets that the kernel was asked about at the end; nil before
	last  []uint64        // sockets that the broker made at the end; see connectLast
}

// ports are those of a connection to a server of the run.
type ports struct{ server, client uint16 }

// A side is which sockets of a connection the kernel has reported.
type side uint8

const (
	serverEnd side = 1 << iota
	clientEnd
)

// add notes a refusal, or what no socket belongs to.
func (l *connectionLog) add(c Connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note(c)
}

// connected notes a connection by a socket, of which the kernel reports the end.
func (l *connectionLog) connected(c Connection, cookie uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.note(c); e != nil && cookie != 0 && c.Error == "" {
		if l.open == nil {
			l.open = map[uint64]*Connection{}
		}
		l.open[cookie] = e
	}
}

// listening notes a port where the run listens.
func (l *connectionLog) listening(c Connection, port uint16) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.note(c); e != nil {
		if l.serving == nil {
			l.serving = map[uint16]*Connection{}
		}
		l.serving[port] = e
	}
}

// note keeps c, and returns nil when there is no place for it. The same refusal is kept once and
// counted.
func (l *connectionLog) note(c Connection) *Connection {
	key := ""
	if c.Refused {
		key = c.Kind + " " + c.Host + " " + c.Address + " " + c.Program + " " + c.Question
		if old := l.refused[key]; old != nil {
			if old.Count++; old.Fix == "" {
				old.Fix = c.Fix
			}
			return nil
		}
	}
	if len(l.list) >= maxConnections || c.Refused && len(l.refused) >= maxRefusals {
		l.crowded(c)
		return nil
	}
	c.Count = 1
	l.list = append(l.list, &c)
	select {
	case l.changed <- struct{}{}:
	default:
	}
	if c.Refused {
		if l.refused == nil {
			l.refused = map[string]*Connection{}
		}
		l.refused[key] = &c
	}
	return &c
}

// crowded counts what there is no place for.
func (l *connectionLog) crowded(c Connection) {
	for _, old := range l.list {
		same := old.Kind == c.Kind && old.Host == c.Host && old.Address == c.Address
		if !c.Refused && !old.Refused && same {
			old.Count++
			return
		}
	}
	l.left++
}

// since returns copies of what was noted after the first n.
func (l *connectionLog) since(n int) (list []Connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.list[min(n, len(l.list)):] {
		list = append(list, *c)
	}
	return list
}

// knows reports whether a socket is noted already.
func (l *connectionLog) knows(cookie uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open[cookie] != nil
}
