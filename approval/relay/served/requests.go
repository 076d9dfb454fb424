package served

import (
	"context"
	"fmt"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/relay/wire"
)

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

// request answers one request. An error ends the connection.
func (g *guest) request(ctx context.Context, m wire.Message) error {
	if m.Kind == wire.Hello {
		return g.welcome()
	}
	if _, connected := g.connected(); !connected { // the database may not be open yet
		return g.fail(&approval.FileError{Path: g.db.Path(), Err: approval.ErrOffline})
	}
	switch m.Kind {
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
