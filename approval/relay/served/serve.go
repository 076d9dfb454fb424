package served

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/relay/wire"
)

const (
	// maxGuests is how many clients are served at a time, besides those that wait for an answer.
	maxGuests = 64
	// maxWaiting is how many may wait for an answer: more than there may be open questions.
	maxWaiting = 256
	// acceptPause is how long a server that could not take a connection waits before the next.
	acceptPause = 100 * time.Millisecond
)

// A Linked is a database that is somewhere else. One that is not Linked can always be reached.
type Linked interface {
	// Connected reports whether the database can be reached, and otherwise since when it cannot;
	// the zero time if it never could.
	Connected() (since time.Time, connected bool)
}

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

// Serve serves a database to the processes that connect, until ctx ends or the listener fails. Then
// it ends every connection and closes the listener; what was not committed has not happened.
func Serve(ctx context.Context, l net.Listener, db approval.DB) error {
	s := &server{db: db, guests: map[*guest]bool{}}
	s.room = sync.NewCond(&s.mu)
	ctx, cancel := context.WithCancel(ctx)
	defer s.working.Wait()
	defer cancel()
	stop := context.AfterFunc(ctx, func() { s.end(l) })
	defer stop()
	for {
		conn, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				conn.Close()
			}
			return ctx.Err()
		case errors.Is(err, net.ErrClosed):
			s.end(l)
			return err
		case err != nil:
			time.Sleep(acceptPause) // no descriptor is left for now
			continue
		}
		if checkPeer(conn) != nil {
			conn.Close()
			continue
		}
		g := &guest{server: s, conn: conn, Conn: wire.NewConn(conn), since: time.Now()}
		if !s.enter(g) {
			conn.Close()
			continue
		}
		s.working.Go(func() {
			_ = g.serve(ctx)
			s.leave(g)
		})
	}
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
		if oldest := s.oldestIdle(); oldest != nil {
			oldest.gone = true
			oldest.conn.Close()
		}
		s.room.Wait()
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
