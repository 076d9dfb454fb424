package served

import (
	"net"
	"sync"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/relay/wire"
)

const (
	// maxGuests is how many clients are served at a time, besides those that wait for an answer.
	maxGuests = 64
	// idleLeast is how long one of them is idle before it can lose its place: one that has just
	// connected is about to ask.
	idleLeast = time.Second
	// maxWaiting is how many may wait for an answer: more than there may be open questions.
	maxWaiting = 256
)

// A server has the clients of one socket.
type server struct {
	db      approval.DB
	working sync.WaitGroup

	mu      sync.Mutex
	room    *sync.Cond // a guest has left
	guests  map[*guest]bool
	waiting int
	over    bool
}

// end closes everything.
func (s *server) end(l net.Listener) {
	l.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for g := range s.guests {
		g.conn.Close()
	}
	s.room.Broadcast()
}

// enter waits for a place for a new client. One that has a place and asks for nothing loses it. It
// reports false when there is nothing to enter any more.
func (s *server) enter(g *guest) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.over && len(s.guests)-s.waiting >= maxGuests {
		rest := idleLeast
		if oldest := s.oldestIdle(); oldest != nil {
			if rest -= time.Since(oldest.since); rest <= 0 {
				oldest.gone = true
				oldest.conn.Close()
			}
		}
		again := time.AfterFunc(max(rest, idleLeast/10), s.room.Broadcast)
		s.room.Wait()
		again.Stop()
	}
	if s.over {
		return false
	}
	s.guests[g] = true
	return true
}

// oldestIdle is the client that has asked for nothing for the longest time; nil if all are busy.
func (s *server) oldestIdle() (oldest *guest) {
	for g := range s.guests {
		if !g.busy && !g.gone && (oldest == nil || g.since.Before(oldest.since)) {
			oldest = g
		}
	}
	return oldest
}

func (s *server) leave(g *guest) {
	g.conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.guests, g)
	s.room.Broadcast()
}

// wait counts a client that waits for an answer. It reports false if there are too many.
func (s *server) wait() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting >= maxWaiting {
		return false
	}
	s.waiting++
	s.room.Broadcast()
	return true
}

func (s *server) waited() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting--
}

// A guest is one client.
type guest struct {
	*server
	*wire.Conn
	conn net.Conn

	// guarded by server.mu
	busy  bool
	gone  bool      // its place was given to another
	since time.Time // it is not busy
}
