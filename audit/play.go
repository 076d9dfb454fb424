package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// A Key is what a viewer asks for while a session plays.
type Key int

const (
	KeyPause   Key = iota + 1 // or go on
	KeyFaster                 // twice the speed
	KeySlower                 // half the speed
	KeySkip                   // do not wait for the next event
	KeyMark                   // on to the next marker
	KeyForward                // 10 s on
	KeyBack                   // 10 s back; needs a Reader that can seek
	KeyQuit
)

// seekStep is what KeyForward and KeyBack move by.
const seekStep = 10 * time.Second

// PlayOptions say how a session is shown. The zero value is its own speed.
type PlayOptions struct {
	Speed     float64       // 2 is twice as fast; 0 means 1
	IdleLimit time.Duration // longest wait; 0 means none
	NoWait    bool          // everything at once
	From      time.Duration // what is before is drawn without waiting
	Raw       bool          // the bytes as they were: only for a writer that is no terminal
	Keys      <-chan Key    // nil: none
	// Watch, when set, sees every event before it is shown, so that the
	// caller can tell who typed, and that a marker or a resize was passed.
	Watch func(Event)
}

// Play shows a transcript on w with its timing. It verifies as it goes: when
// it meets an event that is not proven it stops and returns the *BadEntry, and
// nothing unproven is shown. Unless Raw is set, the bytes cannot touch the
// viewer's terminal beyond drawing on it, and at the end, however it comes, the
// screen is put in order. It returns ctx.Err() when ctx ends it, nil at the end
// or for KeyQuit.
func Play(ctx context.Context, r io.Reader, w io.Writer, o PlayOptions) error {
	if o.Speed <= 0 {
		o.Speed = 1
	}
	p := player{ctx: ctx, src: r, w: w, o: o, until: o.From}
	err := p.run()
	if _, werr := w.Write(p.tame.reset()); err == nil {
		err = werr
	}
	if errors.Is(err, errQuit) || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

var errQuit = errors.New("quit")

type player struct {
	ctx  context.Context
	src  io.Reader
	w    io.Writer
	o    PlayOptions
	tame tame
	buf  []byte

	at     time.Duration // in the session
	until  time.Duration // draw without waiting up to here
	mark   bool          // draw without waiting up to the next marker
	paused bool
}

func (p *player) run() error {
	for {
		again, err := p.once()
		if err != nil || !again {
			return err
		}
	}
}

// once plays from the start of the source; again asks for another round,
// because that is how to go back.
func (p *player) once() (again bool, err error) {
	t, err := NewReader("transcript", p.src)
	if err != nil {
		return false, err
	}
	p.at = 0
	for {
		e, err := t.Next()
		if err != nil {
			return false, err
		}
		back, err := p.wait(e.Time)
		if err != nil {
			return false, err
		}
		if back {
			return true, p.rewind()
		}
		p.at = e.Time
		if err := p.show(e); err != nil {
			return false, err
		}
	}
}

// rewind goes to the start and clears the screen.
func (p *player) rewind() error {
	s, ok := p.src.(io.Seeker)
	if !ok {
		return errors.New("replay: cannot go back in a stream")
	}
	if _, err := s.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("replay: going back: %w", err)
	}
	p.tame = tame{used: true}
	_, err := p.w.Write([]byte("\x1b[0m\x1b[2J\x1b[H"))
	return err
}

func (p *player) show(e Event) error {
	if p.o.Watch != nil {
		p.o.Watch(e)
	}
	if e.Code == CodeMark {
		p.mark = false
	}
	if e.Code != CodeOutput && e.Code != CodeStderr {
		return nil
	}
	out := e.Data
	if !p.o.Raw {
		p.buf = p.tame.append(p.buf[:0], e.Data)
		out = p.buf
	}
	_, err := p.w.Write(out)
	return err
}

// wait lets the time up to an event pass; back is true when the viewer wants
// to be before it.
func (p *player) wait(until time.Duration) (back bool, err error) {
	left := until - p.at
	if p.o.IdleLimit > 0 {
		left = min(left, p.o.IdleLimit)
	}
	for first := true; p.ctx.Err() == nil; first = false {
		hurry := p.o.NoWait || p.mark || until <= p.until
		var timer <-chan time.Time
		switch {
		case p.paused:
		case !hurry && left > 0:
			timer = time.After(time.Duration(float64(left) / p.o.Speed))
		case first: // a key must also be heard when there is nothing to wait for
			timer = closedTimer
		default:
			return false, nil
		}
		began := time.Now()
		select {
		case <-p.ctx.Done():
		case <-timer:
			return false, nil
		case k := <-p.o.Keys:
			if !p.paused {
				passed := min(left, time.Duration(float64(time.Since(began))*p.o.Speed))
				left -= passed
				p.at += passed
			}
			if back, err = p.key(k, &left); back || err != nil {
				return back, err
			}
		}
	}
	return false, p.ctx.Err()
}

// closedTimer has always fired.
var closedTimer = func() <-chan time.Time { c := make(chan time.Time); close(c); return c }()

func (p *player) key(k Key, left *time.Duration) (back bool, err error) {
	switch k {
	case KeyPause:
		p.paused = !p.paused
	case KeyFaster:
		p.o.Speed = min(p.o.Speed*2, 1024)
	case KeySlower:
		p.o.Speed = max(p.o.Speed/2, 1.0/64)
	case KeySkip:
		*left = 0
	case KeyMark:
		p.mark = true
	case KeyForward:
		p.until = p.at + seekStep
	case KeyBack:
		p.until, p.mark = max(p.at-seekStep, 0), false
		return true, nil
	case KeyQuit:
		return false, errQuit
	}
	return false, nil
}
