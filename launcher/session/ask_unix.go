//go:build linux || darwin

package session

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// escapeTime is how long bytes of an escape sequence may be apart, in milliseconds. What a
// key sends arrives at once on a local line and within some tens over a network.
const escapeTime = 50

// Ask puts a question on tty and returns what a person answered. See the package comment
// for the keys. render returns the text for a width in cells, the short or the full one;
// it is called again when the window changes.
//
// tty must be open for reading and writing, and be the caller's controlling terminal with
// our process group in the foreground: otherwise ErrBackground. Whatever was typed before
// the question is on the screen is thrown away. The end of ctx takes the question back (it
// was answered elsewhere): the error is then context.Cause(ctx). Signals that end this
// process while the question is open return *Interrupted. In every case the terminal is
// left as it was found.
func Ask(ctx context.Context, tty *os.File, render func(width int, full bool) string,
	o AskOptions) (Reply, error) {
	o, err := o.settled()
	if err != nil {
		return Reply{}, err
	}
	defer runtime.KeepAlive(tty) // its number is used to the end
	p := &prompt{
		fd:    int(tty.Fd()),
		modes: &modes{fd: int(tty.Fd()), keepOut: true},
		q:     question{options: o, render: render},
	}
	if err := p.open(ctx, o); err != nil {
		return Reply{}, err
	}
	defer p.close()
	return p.run(ctx)
}

// A prompt is a question on a terminal.
type prompt struct {
	fd    int
	modes *modes
	q     question
	keys  decoder
	drawn []string // the rows on the screen

	wake    wakeup    // a signal, or the end of the context
	guard   time.Time // when its guard time is over; zero while none runs
	limit   time.Time // when it is too late; zero for never
	signals chan os.Signal
	resumed chan os.Signal
	undo    []func()
}

func (p *prompt) open(ctx context.Context, o AskOptions) (err error) {
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if p.modes.holder() != foreground {
		return ErrBackground
	}
	if p.wake, err = newWakeup(); err != nil {
		return err
	}
	p.onClose(p.wake.close)
	if o.Timeout > 0 {
		p.limit = time.Now().Add(o.Timeout)
	}
	p.listen(ctx)
	if !p.modes.enter() {
		return ErrBackground
	}
	p.onClose(p.modes.leave)
	return nil
}

func (p *prompt) onClose(f func()) { p.undo = append(p.undo, f) }

func (p *prompt) close() {
	for len(p.undo) > 0 {
		last := len(p.undo) - 1
		p.undo[last]()
		p.undo = p.undo[:last]
	}
}

// listen turns signals and the end of ctx into one wake-up.
func (p *prompt) listen(ctx context.Context) {
	incoming := make(chan os.Signal, 16)
	p.signals, p.resumed = make(chan os.Signal, 16), make(chan os.Signal, 4)
	signal.Notify(incoming, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGTSTP, syscall.SIGCONT, syscall.SIGWINCH)
	signal.Notify(p.resumed, syscall.SIGCONT)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for sig := range incoming {
			select {
			case p.signals <- sig:
			default: // as many are waiting already
			}
			p.wake.raise()
		}
	}()
	p.onClose(func() {
		signal.Stop(incoming)
		signal.Stop(p.resumed)
		close(incoming)
		<-done
	})
	finished := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		p.wake.raise()
		close(finished)
	})
	p.onClose(func() {
		if !stop() {
			<-finished
		}
	})
}

// run shows the question and waits for its end.
func (p *prompt) run(ctx context.Context) (Reply, error) {
	defer func() { p.write("\r\n") }()
	if err := p.begin(ctx); err != nil {
		return Reply{}, err
	}
	for {
		reply, done, err := p.step(ctx)
		if err != nil || done {
			return reply, err
		}
		p.draw()
	}
}

// begin throws away what was typed before, shows the question, and starts the guard time.
// It is called again after a stop.
func (p *prompt) begin(ctx context.Context) error {
	for quiet := false; !quiet; {
		if err := flushKeys(p.fd); err != nil {
			return ErrHangup
		}
		what, err := p.poll(ctx, int(p.q.options.Quiet/time.Millisecond))
		if err != nil {
			return err
		}
		quiet = what == quietly
	}
	p.keys = decoder{}
	p.q.open, p.q.early, p.q.entry = false, false, nil
	p.write(Plain)
	p.fit()
	p.draw()
	p.guard = time.Now().Add(p.q.options.Guard)
	return nil
}

// step handles one thing that happened.
func (p *prompt) step(ctx context.Context) (reply Reply, done bool, err error) {
	timeout := -1
	if p.keys.waiting() {
		timeout = escapeTime
	}
	what, err := p.poll(ctx, timeout)
	if err != nil {
		return Reply{}, false, err
	}
	switch what {
	case quietly:
		return p.press(ctx, p.keys.expire(), true)
	case readable:
		return p.read(ctx)
	case guarded:
		p.q.open = true
	case continued:
		return Reply{}, false, p.begin(ctx)
	}
	return Reply{}, false, nil
}

func (p *prompt) read(ctx context.Context) (reply Reply, done bool, err error) {
	var buf [256]byte
	n, err := p.modes.read(buf[:])
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		return Reply{}, false, nil
	case err != nil:
		return Reply{}, false, ErrHangup
	}
	more := []unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}}
	alone := n == 1 && poll(more, 0) == nil && more[0].Revents == 0
	return p.press(ctx, p.keys.feed(buf[:n]), alone)
}

func (p *prompt) press(ctx context.Context, keys []rune,
	alone bool) (reply Reply, done bool, err error) {
	for _, key := range keys {
		if key == ctrlZ {
			if err := p.pause(syscall.SIGTSTP); err != nil {
				return Reply{}, false, err
			}
			return Reply{}, false, p.begin(ctx)
		}
		if reply, done = p.q.press(key, alone); done {
			return reply, true, nil
		}
	}
	return Reply{}, false, nil
}

// happening is what ended a wait.
type happening int

const (
	quietly   happening = iota // the time is over
	readable                   // keys
	guarded                    // the guard time is over
	redrawn                    // the window has another size
	continued                  // we were stopped, and go on
)

// poll waits, and handles everything that ends the question from outside.
func (p *prompt) poll(ctx context.Context, timeout int) (happening, error) {
	fds := []unix.PollFd{p.wake.pollFd(), {Fd: int32(p.fd), Events: unix.POLLIN}}
	if err := poll(fds, sooner(sooner(timeout, p.limit), p.guard)); err != nil {
		return quietly, err
	}
	switch {
	case fds[0].Revents != 0:
		return p.awake(ctx)
	case over(p.limit):
		return quietly, ErrTimeout
	case fds[1].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0:
		return quietly, ErrHangup
	case over(p.guard):
		p.guard = time.Time{}
		return guarded, nil
	case fds[1].Revents != 0:
		return readable, nil
	}
	return quietly, nil
}

// over reports whether a moment has come; the zero one never does.
func over(at time.Time) bool { return !at.IsZero() && !time.Now().Before(at) }

// sooner is a timeout of poll, in milliseconds, that ends when at has come at the latest.
func sooner(timeout int, at time.Time) int {
	if at.IsZero() {
		return timeout
	}
	// rounded up: otherwise a part of a millisecond would be polled over and over
	left := max(0, int((time.Until(at)+time.Millisecond-1)/time.Millisecond))
	if timeout < 0 {
		return left
	}
	return min(timeout, left)
}

// awake handles the end of the context and the signals that came.
func (p *prompt) awake(ctx context.Context) (happening, error) {
	p.wake.clear()
	if ctx.Err() != nil {
		return quietly, context.Cause(ctx)
	}
	what := redrawn
	for len(p.signals) > 0 {
		switch sig := <-p.signals; sig {
		case syscall.SIGWINCH:
			if len(p.drawn) > 0 {
				p.fit()
				p.erase()
				p.draw()
			}
		case syscall.SIGTSTP:
			if err := p.pause(syscall.SIGTSTP); err != nil {
				return quietly, err
			}
			what = continued
		case syscall.SIGCONT: // after a SIGSTOP, which cannot be caught
			if !p.modes.enter() {
				return quietly, ErrBackground
			}
			p.drawn = nil
			what = continued
		default:
			return quietly, &Interrupted{sig}
		}
	}
	return what, nil
}

// pause stops our job as Ctrl-Z does, with the terminal restored until it continues.
func (p *prompt) pause(sig syscall.Signal) error {
	p.modes.leave()
	if err := stopGroup(sig, p.resumed); err != nil {
		return err
	}
	p.modes.allow()
	if !p.modes.enter() {
		return ErrBackground
	}
	p.drawn = nil // what is on the screen now is not ours
	return nil
}

// fit lays the question out for the window as it is.
func (p *prompt) fit() {
	size, _ := sizeOf(p.fd)
	p.q.resize(int(size.Col), int(size.Row))
}

// draw brings the screen up to date.
func (p *prompt) draw() {
	rows := p.q.screen()
	if slices.Equal(rows, p.drawn) {
		return
	}
	p.erase()
	p.write(strings.Join(rows, "\r\n"))
	p.drawn = rows
}

// erase removes the question from the screen. A terminal may have broken its rows again when the
// window became narrower, so they are counted again.
func (p *prompt) erase() {
	if len(p.drawn) == 0 {
		return
	}
	up := -1
	for _, row := range p.drawn {
		up += max(1, (width(row)+p.q.cols-1)/max(1, p.q.cols))
	}
	p.drawn = nil
	if up > 0 {
		p.write(fmt.Sprintf("\r\x1b[%dA\x1b[J", up))
	} else {
		p.write("\r\x1b[J")
	}
}

// write shows text. A terminal that takes nothing for good is noticed by the next poll.
func (p *prompt) write(text string) {
	for b := []byte(text); len(b) > 0; {
		n, err := unix.Write(p.fd, b)
		switch {
		case err == unix.EAGAIN:
			if poll([]unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLOUT}}, -1) != nil {
				return
			}
		case err != nil && err != unix.EINTR:
			return
		case n > 0:
			b = b[n:]
		}
	}
}
