package play

import (
	"context"
	"io"
	"time"
)

// A View is a terminal that is elsewhere, as in a browser.
type View struct {
	// Do brings what the viewer does: keys (Type), a place (Seek). It is closed when the viewer has
	// left.
	Do <-chan func(*Player)
	// Size returns the size of the terminal.
	Size func(*Player) (cols, rows int)
	// Show gets what brings the terminal up to date; it is valid until Show returns. While Show
	// waits, the session goes on without pictures. An error ends it.
	Show func(picture []byte, p *Player) error
}

// Stream shows a session on a view until the viewer leaves or ctx ends. It returns nil if the
// viewer left, ctx.Err() if ctx ended it, the error of Show, and the *audit.BadEntry if the viewer
// was shown that the transcript does not verify.
func Stream(ctx context.Context, src io.ReadSeeker, s Settings, v View) error {
	p, err := New(src, s)
	if err != nil {
		return err
	}
	defer p.Close()
	var paint painter
	began := time.Now()
	for !p.Done() {
		p.Tick(time.Since(began))
		cols, rows := v.Size(p)
		if err := v.Show(paint.paint(p.Frame(cols, rows)), p); err != nil {
			return err
		}
		var due <-chan time.Time // nil blocks: until something is done
		if wait := p.Due(); wait >= 0 {
			due = time.After(wait)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case do, more := <-v.Do:
			if !more {
				return p.Err()
			}
			do(p)
		case <-due:
		}
	}
	return p.Err()
}

// Type takes keys as a terminal sends them. One that is cut off is lost.
func (p *Player) Type(keys []byte) {
	for len(keys) > 0 && !p.Done() {
		var name string
		if name, keys = nextKey(keys); name != "" {
			p.Key(name)
		}
	}
}

// Seek goes to a time in the session.
func (p *Player) Seek(to time.Duration) {
	p.job, p.message = nil, ""
	p.seek(to)
}

// Find looks for a text on the screen: its next place, or with back the one before. Of a long text
// it takes the beginning.
func (p *Player) Find(text string, back bool) {
	p.query = query{string([]rune(text)[:min(len([]rune(text)), maxQuery)])}
	p.search(back)
}

// A State is where a player is.
type State struct {
	Position, Total time.Duration // Total is as far as is known
	Paused, Busy    bool          // Busy: it works on a seek or a search
}

// State returns it.
func (p *Player) State() State {
	return State{p.pos, max(p.total, p.pos), p.paused, p.job != nil}
}
