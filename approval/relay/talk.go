package relay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/relay/wire"
)

// A talk is one connection to the agent.
type talk struct {
	*wire.Conn
	db   *DB
	f    *os.File
	ctx  context.Context
	stop func() bool // of ctx's hold on f
}

// maxHello is how long an agent may take to say that it is there, which it does without the
// database.
const maxHello = 5 * time.Second

// connect connects to the agent and sends the first request. An agent that has no connection itself
// is as good as none.
func (d *DB) connect(ctx context.Context, request wire.Message) (*talk, error) {
	k, welcome, err := d.greet(ctx, request)
	if err != nil {
		return nil, err
	}
	if !welcome.Yes {
		k.close()
		return nil, d.offline(disconnected(welcome))
	}
	return k, nil
}

// greet connects to the agent and reads its greeting. The error is about the socket.
func (d *DB) greet(ctx context.Context, more ...wire.Message) (*talk, wire.Message, error) {
	limit := time.Now().Add(min(d.wait, maxHello))
	f, err := dial(ctx, d.path, limit)
	if err != nil {
		return nil, wire.Message{}, d.unreached(err)
	}
	k := &talk{Conn: wire.NewConn(f), db: d, f: f, ctx: ctx}
	k.stop = context.AfterFunc(ctx, func() { f.SetDeadline(time.Unix(1, 0)) })
	k.until(time.Until(limit))
	err = k.Send(append([]wire.Message{{Kind: wire.Hello}}, more...)...)
	var welcome wire.Message
	if err == nil {
		welcome, err = k.Expect(wire.Welcome)
	}
	if err != nil {
		k.close()
		return nil, wire.Message{}, k.failed(err)
	}
	return k, welcome, nil
}

func (k *talk) close() {
	k.stop()
	k.f.Close()
}

// until bounds the time of what follows, within that of the caller.
func (k *talk) until(wait time.Duration) {
	limit := time.Now().Add(wait)
	if own, bounded := k.ctx.Deadline(); bounded && own.Before(limit) {
		limit = own
	}
	if k.f.SetDeadline(limit) == nil && k.ctx.Err() != nil {
		k.f.SetDeadline(time.Unix(1, 0)) // it ended before
	}
}

// hold makes the talk go on after the caller's context has ended.
func (k *talk) hold() {
	k.stop()
	k.ctx = context.WithoutCancel(k.ctx)
}

// answer receives a message of this kind.
func (k *talk) answer(wait time.Duration, kind wire.Kind) (wire.Message, error) {
	k.until(wait)
	m, err := k.Expect(kind)
	return m, k.failed(err)
}

// failed returns why a talk has ended: the caller's context, what the agent has reported, or that
// there is no agent.
func (k *talk) failed(err error) error {
	var remote *wire.RemoteError
	own, bounded := k.ctx.Deadline()
	switch {
	case err == nil:
		return nil
	case errors.As(err, &remote):
		return remote.Named()
	case k.ctx.Err() != nil:
		return k.ctx.Err()
	case bounded && errors.Is(err, os.ErrDeadlineExceeded) && !time.Now().Before(own):
		return context.DeadlineExceeded
	case errors.Is(err, os.ErrDeadlineExceeded):
		return k.db.offline("it does not answer")
	case errors.Is(err, wire.ErrVersion):
		return k.db.offline(fmt.Sprintf("%v; restart it with the version of this program", err))
	}
	return k.db.offline(fmt.Sprintf("the connection ended: %v", err))
}

// unreached returns why there is no connection.
func (d *DB) unreached(err error) error {
	var named *approval.FileError
	switch {
	case errors.As(err, &named), errors.Is(err, context.Canceled),
		errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return d.offline(err.Error())
}

// Start is the command that starts the agent.
const Start = "tadactl fleet agent"

func (d *DB) offline(why string) error {
	return &approval.FileError{Path: d.path, Err: approval.ErrOffline,
		Hint: why + "; start it: " + Start}
}

// disconnected says since when an agent has no connection.
func disconnected(welcome wire.Message) string {
	if welcome.Number == 0 {
		return "it is not connected"
	}
	since := time.Unix(int64(min(welcome.Number, 1<<40)), 0).UTC().Format(time.RFC3339)
	return "it is not connected since " + since
}
