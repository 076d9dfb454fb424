package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// Options are what Run needs.
type Options struct {
	In, Out *os.File // the viewer's terminal; if one is not a terminal, lines are written to Out
	Settings
	NoWait bool // if Out is not a terminal: everything at once
}

// ErrUnsupported is returned on systems without terminals that Run supports.
var ErrUnsupported = errors.New("replay on a terminal is for Unix systems only")

// Run shows a session on a terminal until the viewer leaves, and restores the terminal however it
// ends. It returns nil if the viewer left, ctx.Err() if ctx ended it, and the *audit.BadEntry if
// the viewer was shown that the transcript does not verify.
func Run(ctx context.Context, src io.ReadSeeker, o Options) error {
	if !term.IsTerminal(int(o.In.Fd())) || !term.IsTerminal(int(o.Out.Fd())) {
		t := TextOptions{Speed: max(o.Speed, 0), Idle: o.Idle}
		if t.Speed == 0 && !o.NoWait {
			t.Speed = 1
		}
		if o.NoWait {
			t.Speed = 0
		}
		return Text(ctx, o.Out, src, t)
	}
	p, err := New(src, o.Settings)
	if err != nil {
		return err
	}
	defer p.Close()
	d := driver{p: p, in: o.In, out: o.Out}
	return d.run(ctx)
}

// A driver connects a Player with a terminal.
type driver struct {
	p       *Player
	in, out *os.File
	old     *term.State
	paint   painter
	keys    []byte // read, but not parsed yet
}

func (d *driver) run(ctx context.Context) (err error) {
	if err := d.enter(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.leave()) }()
	began := time.Now()
	for !d.p.Done() {
		if err := ctx.Err(); err != nil {
			return err
		}
		d.p.Tick(time.Since(began))
		if err := d.show(); err != nil {
			return err
		}
		if err := d.wait(d.p.Due()); err != nil {
			return err
		}
		for len(d.keys) > 0 && !d.p.Done() {
			var key string
			key, d.keys = nextKey(d.keys)
			if err := d.key(key); err != nil {
				return err
			}
		}
	}
	return d.p.Err()
}

// enter takes over the terminal.
func (d *driver) enter() error {
	var err error
	if d.old, err = term.MakeRaw(int(d.in.Fd())); err != nil {
		return fmt.Errorf("replay: preparing the terminal: %w", err)
	}
	d.paint = painter{}
	if _, err := d.out.WriteString(enter); err != nil {
		return errors.Join(fmt.Errorf("replay: %w", err), term.Restore(int(d.in.Fd()), d.old))
	}
	return nil
}

// leave restores it.
func (d *driver) leave() error {
	_, err := d.out.WriteString(leave)
	return errors.Join(err, term.Restore(int(d.in.Fd()), d.old))
}

func (d *driver) show() error {
	cols, rows, err := term.GetSize(int(d.out.Fd()))
	if err != nil || cols <= 0 || rows <= 0 {
		cols, rows = 80, 24
	}
	if _, err := d.out.Write(d.paint.paint(d.p.Frame(cols, rows))); err != nil {
		return fmt.Errorf("replay: drawing: %w", err)
	}
	return nil
}

func (d *driver) key(name string) error {
	switch name {
	case "":
	case "ctrl-l":
		d.paint = painter{}
	case "ctrl-z":
		if err := d.leave(); err != nil {
			return err
		}
		stop()
		return d.enter()
	default:
		d.p.Key(name)
	}
	return nil
}

// glance is the longest time between two looks at the terminal's size and the context: a signal
// does not always end a wait for keys.
const glance = 250 * time.Millisecond

// wait reads keys for at most d; negative means until there are some, or until the next glance.
func (d *driver) wait(most time.Duration) error {
	if most < 0 || most > glance {
		most = glance
	}
	ready, err := readable(d.in, most)
	if err != nil || !ready {
		return err
	}
	buf := make([]byte, 256)
	n, err := d.in.Read(buf)
	if err != nil {
		return fmt.Errorf("replay: the terminal is gone: %w", err)
	}
	d.keys = append(d.keys, buf[:n]...)
	return nil
}
