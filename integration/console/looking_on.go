package console

import (
	"context"
	"io"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/play"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

// A feed is what a run shows, in frames of the protocol of sessions.
type feed struct {
	frames chan wire.Frame // closed at the end
	stop   func()
	send   func(wire.Frame) // nil for a run that is no session: nobody can type there
}

// leave ends a feed. When it returns, the session knows: what is said on the next connection comes
// after it.
func (f *feed) leave() {
	f.stop()
	for range f.frames {
	}
}

// pass hands a frame on, unless nobody wants it any more.
func (f *feed) pass(ctx context.Context, frame wire.Frame) error {
	select {
	case f.frames <- frame:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lookOn is the feed of a run that is no session: its transcript, as it grows.
func (s *Server) lookOn(id string) (*feed, error) {
	file, err := s.inbox.Transcript(id)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	f := &feed{frames: make(chan wire.Frame), stop: stop}
	go func() {
		defer close(f.frames)
		defer file.Close()
		_ = f.follow(ctx, id, file)
		_ = f.pass(ctx, wire.JSON(wire.End, 0, wire.Ending{}))
	}()
	return f, nil
}

func (f *feed) follow(ctx context.Context, id string, file io.Reader) error {
	r, err := audit.NewReader(id, audit.Follow(ctx, file,
		func() bool { return !audit.Recording(file) }))
	if err != nil {
		return err
	}
	w := play.NewWire(r.Header)
	for frame := sized(id, r.Header.Cols, r.Header.Rows); ; {
		if err := f.pass(ctx, frame); err != nil {
			return err
		}
		e, err := r.Next()
		if err != nil {
			return err
		}
		frame = shown(&w, id, e)
	}
}

// sized says how large a terminal is.
func sized(id string, cols, rows int) wire.Frame {
	if cols <= 0 || rows <= 0 {
		cols, rows = 80, 24
	}
	return wire.JSON(wire.State, 0, wire.Status{ID: id, Cols: cols, Rows: rows})
}

// shown is what an event of a transcript changes on a terminal.
func shown(w *play.Wire, id string, e audit.Event) wire.Frame {
	if cols, rows, ok := e.Size(); ok {
		return sized(id, cols, rows)
	}
	return wire.Frame{Kind: wire.Output, Body: w.Event(nil, e)}
}
