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

// acceptPause is how long a server that could not take a connection waits before the next.
const acceptPause = 100 * time.Millisecond

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
			s.end(l) // the socket is gone when this returns, although the one after ctx is not done
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
