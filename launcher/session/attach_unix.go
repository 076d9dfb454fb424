//go:build linux || darwin

package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/session/wire"
)

// Attach shows the session behind a.Conn until it ends, this client leaves, or ctx ends, which is
// leaving too. The terminal is raw in that time, and is restored in any case. An error means that
// the terminal or the connection failed.
func Attach(ctx context.Context, a Attachment) (Ended, error) {
	c := &client{ctx: ctx, a: a, keys: make(chan []byte), frames: make(chan wire.Frame),
		gone: make(chan error, 2), done: make(chan struct{})}
	defer close(c.done)
	if kindOf(a.In, new(unix.Stat_t)) == terminal {
		fd, err := dupFile(a.In) // keyboard may outlive the caller's
		if err != nil {
			return Ended{}, err
		}
		c.term = &modes{fd: fd}
		if !c.term.enter() {
			c.term.close()
			return Ended{}, errors.New("this terminal is not in the foreground; try: fg")
		}
		defer c.term.leave()
	}
	defer func() { c.show(a.View.Leave()) }()
	if full, ok := c.full(); ok {
		c.show(a.View.Resize(full.cols, full.rows))
	}
	cols, rows := c.size()
	c.send(wire.JSON(wire.Hello, 0, wire.Greeting{Take: a.Take, Cols: cols, Rows: rows, TTY: a.TTY,
		Idle: int(a.Idle.Seconds())}))
	go c.listen()
	go c.keyboard()
	return c.run(ctx)
}

// A client is an Attachment at work. Everything happens on one goroutine but reading.
type client struct {
	ctx    context.Context // of Attach, which it does not outlive
	a      Attachment
	term   *modes // nil: no terminal
	keys   chan []byte
	frames chan wire.Frame
	gone   chan error // why reading frames ended
	done   chan struct{}

	status  wire.Status
	epoch   uint32
	credit  int    // bytes that may still be sent
	waiting []byte // keys for which there is no credit yet
	prefix  bool   // Prefix was typed
	asked   *order // a question is shown
	last    *wire.Notice
	waits   string // the question that was asked last
	left    bool
	failed  error
}

func (c *client) run(ctx context.Context) (Ended, error) {
	winch := make(chan os.Signal, 1)
	signal.Notify(winch, syscall.SIGWINCH)
	defer signal.Stop(winch)
	keyed := make(chan os.Signal, 1)
	if c.a.Starter { // without a private terminal, an interrupt is meant for the program
		signal.Notify(keyed, syscall.SIGINT, syscall.SIGQUIT)
		defer signal.Stop(keyed)
	}
	for !c.left && c.failed == nil {
		keys := c.keys
		if len(c.waiting) > 0 {
			keys = nil // what was typed waits where it is, as at any terminal
		}
		select {
		case <-ctx.Done():
			return Ended{Detached: true}, nil
		case <-winch:
			c.resized()
		case sig := <-keyed:
			// VINTR, VQUIT
			c.enter([]byte{map[os.Signal]byte{syscall.SIGINT: 3, syscall.SIGQUIT: 28}[sig]}, true)
		case p, ok := <-keys:
			if !ok {
				c.keys = nil
				c.enter([]byte{4}, true) // VEOF: a pipe that ended
				continue
			}
			c.typed(p)
		case f := <-c.frames:
			if f.Kind == wire.End {
				e := Ended{Last: c.last}
				err := json.Unmarshal(f.Body, &e.Ending)
				return e, err
			}
			c.take(f)
		case err := <-c.gone:
			return Ended{Lost: true, Last: c.last}, err
		}
	}
	return Ended{Detached: c.left, Last: c.last}, c.failed
}

// listen reads what the holder says.
func (c *client) listen() {
	r := wire.NewReader(c.a.Conn)
	for {
		f, err := r.Next()
		if err != nil {
			c.gone <- nil
			return
		}
		f.Body = append([]byte(nil), f.Body...)
		select {
		case c.frames <- f:
		case <-c.done:
			return
		}
	}
}

// keyboard reads keys. It may be left behind in a read, as every program that reads a terminal may.
func (c *client) keyboard() {
	defer close(c.keys)
	if c.term != nil {
		defer c.term.close()
	}
	keys := c.keys
	for buf := make([]byte, 32<<10); ; {
		n, err := 0, error(nil)
		if c.term != nil {
			fds := []unix.PollFd{{Fd: int32(c.term.fd), Events: unix.POLLIN}}
			if poll(fds, -1) != nil || fds[0].Revents&unix.POLLIN == 0 {
				return
			}
			if n, err = c.term.read(buf); err == unix.EAGAIN {
				poll(nil, recheck) // in the background: the keys belong to another job
				continue
			}
		} else {
			n, err = c.a.In.Read(buf)
		}
		if n > 0 {
			select {
			case keys <- append([]byte(nil), buf[:n]...):
			case <-c.done:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// take acts on what the holder said.
func (c *client) take(f wire.Frame) {
	v := c.a.View
	switch f.Kind {
	case wire.Redraw:
		c.show(v.Redraw(f.Body))
	case wire.Output:
		c.show(v.Output(f.Body))
	case wire.State:
		var s wire.Status
		if json.Unmarshal(f.Body, &s) == nil {
			c.now(s, f.Epoch)
		}
	case wire.Ack:
		c.credit += wire.ReadCount(f.Body)
		c.flush()
	case wire.Tell:
		var n wire.Notice
		if json.Unmarshal(f.Body, &n) != nil {
			return
		}
		switch n.Code {
		case wire.CodeRefused:
			c.last = &n
		case wire.CodeAsked:
			c.waits = n.Envelope
		case wire.CodeAnswered:
			if n.Envelope != c.waits {
				return // answered here, or a later question is the one that is shown
			}
			c.waits = ""
		}
		c.show(v.Notice(n))
		if n.Code == wire.CodeSummary {
			c.ask(&order{key: 'g', kind: wire.Give, ask: "give back? y/n"})
		}
	}
}

// now records who drives from here on. Keys that were typed and not sent were for another
// situation.
func (c *client) now(s wire.Status, epoch uint32) {
	first, took := c.status.ID == "", s.You && !c.status.You
	changed := !first && epoch != c.epoch
	c.status, c.epoch = s, epoch
	c.show(c.a.View.Status(s))
	if took {
		c.resized()
	}
	if n := len(c.waiting); n > 0 && changed {
		c.waiting = nil
		c.show(c.a.View.Notice(wire.Notice{Code: wire.CodeDiscarded, Bytes: n,
			Message: "unsent input was discarded"}))
	}
	if first { // typed before the driver was known
		c.credit = wire.Credit
		c.flush()
	}
}

func (c *client) flush() {
	p := c.waiting
	c.waiting = nil
	c.input(p)
}

// resized tells the view and, when this client drives, the holder.
func (c *client) resized() {
	full, ok := c.full()
	if !ok {
		return
	}
	c.show(c.a.View.Resize(full.cols, full.rows))
	cols, rows := c.size()
	c.send(wire.Frame{Kind: wire.Window, Epoch: c.epoch, Body: wire.Size(cols, rows)})
}

type extent struct{ cols, rows int }

// full is this terminal's size; ok is false without one.
func (c *client) full() (size extent, ok bool) {
	if c.a.Out == nil {
		return size, false
	}
	ws, ok := sizeOf(int(c.a.Out.Fd()))
	return extent{int(ws.Col), int(ws.Row)}, ok
}

// size is what the session would have on this terminal; 0 without one.
func (c *client) size() (cols, rows int) {
	full, ok := c.full()
	if !ok {
		return 0, 0
	}
	return c.a.View.Size(full.cols, full.rows)
}

// typed sorts keys into orders and input. Without a terminal everything is input.
func (c *client) typed(p []byte) {
	if c.term == nil {
		c.enter(p, true)
		return
	}
	for len(p) > 0 && !c.left {
		switch b := p[0]; {
		case c.asked != nil:
			c.answer(b)
			p = p[1:]
		case c.prefix:
			c.prefix = false
			c.show(c.a.View.Ask(""))
			if b == Prefix {
				c.enter(p[:1], false)
			} else {
				c.order(b)
			}
			p = p[1:]
		case b == Prefix:
			c.prefix = true
			c.show(c.a.View.Ask(KeyHelp()))
			p = p[1:]
		default:
			n := len(p)
			for i, b := range p {
				if b == Prefix {
					n = i
					break
				}
			}
			c.enter(p[:n], false)
			p = p[n:]
		}
	}
}

func (c *client) order(key byte) {
	for i := range orders {
		o := &orders[i]
		switch {
		case o.key != key:
			continue
		case o.key == answerKey:
			c.question()
		case o.kind == 0:
			c.left = true
		case o.ask != "":
			c.ask(o)
		default:
			c.do(o)
		}
		return
	}
}

// question lets the person at this terminal answer a waiting question. She reads and types on this
// terminal, so nothing of the session reaches it in that time.
func (c *client) question() {
	if c.a.Answer == nil || c.term == nil {
		return
	}
	if c.waits == "" {
		c.show(c.a.View.Notice(wire.Notice{Code: wire.CodeRefused,
			Message: "no new question here; all questions: tadactl inbox"}))
		return
	}
	c.show(c.a.View.Leave())
	c.term.leave()
	err := c.a.Answer(c.ctx, c.waits)
	c.term.allow()
	c.term.enter()
	c.show(c.a.View.Resume())
	if err != nil {
		// it still does
		c.show(c.a.View.Notice(wire.Notice{Code: wire.CodeAsked, Envelope: c.waits,
			Message: err.Error() + "; Ctrl-] a"}))
	} else {
		c.waits = ""
	}
	c.send(wire.Frame{Kind: wire.Refresh, Epoch: c.epoch})
}

func (c *client) ask(o *order) {
	c.asked = o
	c.show(c.a.View.Ask(o.ask))
}

func (c *client) answer(key byte) {
	o := c.asked
	c.asked = nil
	c.show(c.a.View.Ask(""))
	if key == 'y' {
		c.do(o)
	}
}

func (c *client) do(o *order) {
	f := wire.Frame{Kind: o.kind, Epoch: c.epoch}
	if o.kind == wire.Private && !c.status.Private {
		f.Body = []byte{1}
	}
	if o.kind == wire.Take {
		cols, rows := c.size()
		f.Body = wire.Size(cols, rows)
	}
	c.send(f)
}

// enter sends input. Keys of a person who only watches are dropped, and she is told so; the holder
// has to refuse input from a program, because that has to be recorded.
func (c *client) enter(p []byte, always bool) {
	if !always && !c.a.Starter && !c.status.You && c.status.ID != "" {
		c.show(c.a.View.Notice(wire.Notice{Code: wire.CodeRefused, By: c.status.Driver,
			Message: "you are only watching; press Ctrl-] t to take over"}))
		return
	}
	c.input(p)
}

func (c *client) input(p []byte) {
	n := min(len(p), c.credit)
	if n > 0 {
		c.credit -= n
		c.send(wire.Frame{Kind: wire.Input, Epoch: c.epoch, Body: p[:n]})
	}
	c.waiting = append(c.waiting, p[n:]...)
}

func (c *client) send(f wire.Frame) {
	if _, err := c.a.Conn.Write(wire.Append(nil, f)); err != nil && c.failed == nil &&
		!errors.Is(err, unix.EPIPE) {
		c.failed = fmt.Errorf("send to the session: %w", err)
	}
}

func (c *client) show(p []byte) {
	for len(p) > 0 && c.failed == nil {
		n, err := c.a.Out.Write(p)
		p = p[n:]
		if err != nil && !errors.Is(err, unix.EAGAIN) {
			c.failed = fmt.Errorf("show the session: %w", err)
		}
	}
}
