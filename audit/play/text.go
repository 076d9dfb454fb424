package play

import (
	"bufio"
	"context"
	"errors"
	"io"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// TextOptions say how fast Text writes. The zero value means at once.
type TextOptions struct {
	Speed float64       // of the session's own; 0 means at once
	Idle  time.Duration // longest pause; 0 means none is cut short
}

// Text writes what a person saw, as lines of text. Text that was overwritten, such as a progress
// bar, is written in its last state; lines that the terminal broke are one line; of a full-screen
// program, the last screen is written. A line is written when it can no longer change, because it
// left the screen. The error is a *audit.BadEntry if a part does not verify; what is before it was
// written.
func Text(ctx context.Context, w io.Writer, r io.Reader, o TextOptions) error {
	t, err := audit.NewReader("transcript", r)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	s := newStage(t.Header)
	s.screen.Gone = func(text string, wrapped bool) {
		out.WriteString(text) // errors stay in the writer
		if !wrapped {
			out.WriteByte('\n')
		}
	}
	err = lines(ctx, t, s, out, o)
	s.screen.Flush()
	return errors.Join(err, out.Flush())
}

// lines plays all events.
func lines(ctx context.Context, t *audit.Reader, s *stage, out *bufio.Writer, o TextOptions) error {
	var at time.Duration
	for {
		e, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && o.Speed > 0 {
			err = pass(ctx, e.Time-at, out, o)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		at = e.Time
		s.show(e)
	}
}

// pass waits until the next event is due. What was written is flushed first.
func pass(ctx context.Context, d time.Duration, out *bufio.Writer, o TextOptions) error {
	if o.Idle > 0 {
		d = min(d, o.Idle)
	}
	if d = time.Duration(float64(d) / o.Speed); d <= 0 {
		return nil
	}
	if err := out.Flush(); err != nil {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
