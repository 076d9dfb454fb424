package console

import (
	"context"
	"errors"
	"time"

	"github.com/coder/websocket"
)

var (
	errDrawing = errors.New("the browser does not draw")
	errRevoked = errors.New("the passkey of who drives was revoked")
)

// watch shows the run until it ends or the browser leaves.
func (v *viewer) watch(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	heard := make(chan message)
	go v.listen(ctx, heard)
	go alive(ctx, v.socket, cancel)
	look := time.NewTicker(revokedEach)
	defer look.Stop()
	for {
		frames := v.feed.frames
		if v.next.Ended {
			frames = nil
		}
		var due <-chan time.Time
		switch late := !v.told.IsZero(); {
		case late:
			due = time.After(time.Until(v.told.Add(drawTime)))
		case v.changed:
			due = time.After(time.Until(v.soonest))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case f, more := <-frames:
			if !more {
				v.gone()
				continue
			}
			v.take(f)
		case m, more := <-heard:
			if !more {
				return nil
			}
			if err := v.hear(m); err != nil {
				return err
			}
		case <-look.C:
			if v.revoked() {
				return errRevoked // the session is frozen, as after every connection that ends
			}
		case <-due:
			if !v.told.IsZero() {
				return errDrawing
			}
			if err := v.tell(ctx); err != nil || v.next.Ended {
				return err
			}
		}
	}
}

// listen passes on what the browser sends, until it leaves.
func (v *viewer) listen(ctx context.Context, heard chan<- message) {
	defer close(heard)
	for {
		kind, body, err := v.socket.Read(ctx)
		if err != nil {
			return
		}
		select {
		case heard <- message{kind, body}:
		case <-ctx.Done():
			return
		}
	}
}

// alive ends the connection to a browser that went away without a word, as a telephone out of reach
// does.
func alive(ctx context.Context, socket *websocket.Conn, end func()) {
	defer end()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(keepAlive):
		}
		answer, cancel := context.WithTimeout(ctx, timeout)
		err := socket.Ping(answer)
		cancel()
		if err != nil {
			return
		}
	}
}
