package served

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/relay/wire"
)

const (
	// maxOpen is how long a client may keep a transaction open, from its begin to its end.
	maxOpen = 10 * time.Second
	// maxAnswer is how long a client may take to read an answer.
	maxAnswer = 10 * time.Second
)

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

// errEnded rolls a transaction back that the client has ended without a commit.
var errEnded = errors.New("the client has ended the transaction")

// serve does what the client asks for, until it goes away or asks for what is not possible.
func (g *guest) serve(ctx context.Context) error {
	for {
		_ = g.conn.SetDeadline(time.Time{})
		m, err := g.Receive()
		if err != nil {
			return g.explain(err)
		}
		g.setBusy(true)
		_ = g.conn.SetDeadline(time.Now().Add(maxAnswer))
		if err := g.request(ctx, m); err != nil {
			return err
		}
		g.setBusy(false)
	}
}

func (g *guest) setBusy(busy bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.busy, g.since = busy, time.Now()
}

// request answers one request. An error ends the connection.
func (g *guest) request(ctx context.Context, m wire.Message) error {
	switch m.Kind {
	case wire.Hello:
		return g.welcome()
	case wire.View:
		t := &transaction{guest: g}
		return t.ended(g.db.View(ctx, t.run))
	case wire.Update:
		t := &transaction{guest: g, changes: true}
		return t.ended(g.db.Update(ctx, t.run))
	case wire.Ask:
		return g.ask(ctx, m)
	case wire.Await:
		return g.await(ctx, m.Key)
	}
	return g.fail(fmt.Errorf("%w: kind %q is out of place", wire.ErrFormat, byte(m.Kind)))
}

// fail tells the client of an error, and returns it.
func (g *guest) fail(err error) error {
	_ = g.conn.SetWriteDeadline(time.Now().Add(maxAnswer))
	_ = g.Send(wire.Message{Kind: wire.Failed, Failure: wire.FailureOf(err)})
	return err
}

// explain tells the client what was wrong with what it sent, or that it took too long, and returns
// the error.
func (g *guest) explain(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return g.fail(&approval.FileError{Path: g.db.Path(), Err: approval.ErrLocked,
			Hint: fmt.Sprintf("a transaction was open for more than %v; try again", maxOpen)})
	case errors.Is(err, wire.ErrFormat) || errors.Is(err, wire.ErrTooLong) ||
		errors.Is(err, wire.ErrVersion) || errors.Is(err, errPlace):
		return g.fail(err)
	}
	return err
}

// welcome answers who is there.
func (g *guest) welcome() error {
	m := wire.Message{Kind: wire.Welcome, Yes: true}
	if linked, is := g.db.(Linked); is {
		since, connected := linked.Connected()
		if m.Yes = connected; !connected && !since.IsZero() {
			m.Number = uint64(max(since.Unix(), 1))
		}
	}
	return g.Send(m)
}
