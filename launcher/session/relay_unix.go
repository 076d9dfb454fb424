//go:build linux || darwin

package session

import (
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

const (
	// bufferSize is the most that is recorded and shown in one piece. Larger ones are not
	// faster: they no longer fit into a core's cache between read, tap and write.
	bufferSize = 128 << 10
	// firstBuffer is enough for most commands; clearing more memory than that costs a short
	// command more than all its system calls here.
	firstBuffer = 16 << 10
	// pipeSize is the kernel's buffer of a relayed pipe.
	pipeSize = 256 << 10
)

// errStopped ends a relay that was asked to stop. It is not returned to callers.
var errStopped = errors.New("relay stopped")

// A gate hands bytes to the tap, one stream at a time, and closes for good when the tap
// fails.
type gate struct {
	mu     sync.Mutex
	tap    Tap
	err    error
	failed chan struct{} // closed with the first error
}

// pass calls the tap, unless it failed before.
func (g *gate) pass(call func(Tap) error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err != nil {
		return g.err
	}
	err := call(g.tap)
	if _, enough := err.(Enough); enough {
		return err
	}
	if err != nil {
		g.err = fmt.Errorf("the session could not be recorded: %w", err)
		close(g.failed)
	}
	return g.err
}

// A relay carries one stream of the child's output to one descriptor of the caller.
//
// The loop makes one read, one call of the tap and one write for a piece, on one goroutine:
// a hand-over to another one costs more than the copy.
type relay struct {
	stream Stream
	from   int // non-blocking, ours
	// a duplicate of the caller's, which may or may not block; none if nothing can be shown
	to     int
	stop   wakeup // the relay must end
	gate   *gate
	screen cooked       // the terminal that to is; the zero value where it is none
	filter *Filter      // where to is a person's terminal
	show   func([]byte) // nil, or what is in the place of to
	shown  func()       // called after each piece
	gone   func()       // called when the caller's reader is gone, before from is closed

	busy  sync.Mutex // held from a read to the end of its write; guards from
	bytes int64      // passed to the tap
	err   error      // how it ended; nil at end of file and when the caller stopped reading
}

// run relays until the child's end is closed, the caller's reader is gone, the tap fails or
// stop becomes readable. It closes both ends, except from when the tap failed: then the
// child stays stalled until it is killed, as at a reader that does not read.
func (r *relay) run() {
	buf := make([]byte, firstBuffer)
	var grow gather
	for gathered := false; ; {
		r.busy.Lock()
		before := r.bytes
		drained, err := r.step(buf)
		n := int(r.bytes - before)
		r.busy.Unlock()
		if n > 0 {
			grow.took(n, gathered)
		}
		if !drained && len(buf) < bufferSize {
			buf = make([]byte, bufferSize)
		}
		gathered = drained && grow.wanted()
		if err == nil && drained {
			err = r.wait()
		}
		if err == nil && gathered {
			err = r.linger()
		}
		if err != nil {
			r.end(err)
			return
		}
	}
}

// step moves one piece. drained says that another read would probably find nothing.
func (r *relay) step(buf []byte) (drained bool, err error) {
	n, drained, err := r.fill(buf)
	if n > 0 {
		if failed := r.deliver(buf[:n]); failed != nil {
			return drained, failed
		}
		r.shown()
	}
	return drained, err
}

// fill reads what there is, up to the size of buf. A terminal gives at most 4095 bytes a
// read however much is waiting (n_tty.c), so several reads make one piece.
func (r *relay) fill(buf []byte) (n int, drained bool, err error) {
	closed := false
	for n < len(buf) {
		end := len(buf)
		if r.stream == Screen && (n < end-1 || buf[n-1] != '\r') {
			end-- // room for the other half of a line end, which must not be cut
		}
		if n == end {
			break
		}
		got, err := unix.Read(r.from, buf[n:end])
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return n, true, nil
		case err == unix.EIO && r.stream == Screen && !closed:
			// The last slave is closed: a terminal's end of file. But the kernel looks for bytes
			// first and for the close then (n_tty_read), and both may have come in between. The
			// bytes are there at the next read.
			closed = true
			continue
		case err == unix.EIO && r.stream == Screen:
			return n, true, errEOF
		case err != nil:
			return n, true, fmt.Errorf("read %v of the command: %w", r.stream, err)
		case got == 0:
			return n, true, errEOF
		}
		n += got
		closed = false
		if r.stream != Screen {
			return n, n < len(buf), nil
		}
	}
	return n, false, nil
}

// errEOF is the regular end of a stream.
var errEOF = errors.New("end of output")

// errGone says that the caller's descriptor has no reader any more.
var errGone = errors.New("reader is gone")

// deliver records p and then shows it.
func (r *relay) deliver(p []byte) error {
	r.bytes += int64(len(p))
	err := r.gate.pass(func(t Tap) error { return t.Output(r.stream, p) })
	if kept, ok := err.(Enough); ok {
		p, err = p[:min(int(kept), len(p))], nil
	}
	if err != nil {
		return err
	}
	if r.show != nil {
		r.show(p)
		return nil
	}
	if r.screen.both() {
		p = uncook(p)
	}
	if r.filter != nil {
		p = r.filter.Pass(p)
	}
	return r.write(p)
}

// write gives p to the caller.
func (r *relay) write(p []byte) error {
	for len(p) > 0 && r.to != none {
		n, err := unix.Write(r.to, p)
		if n > 0 {
			p = p[n:]
		}
		switch err {
		case nil, unix.EINTR:
		case unix.EAGAIN: // another process set O_NONBLOCK on the open file that we share
			if err := r.waitWritable(); err != nil {
				return err
			}
		case unix.EPIPE, unix.ECONNRESET, unix.EIO:
			return errGone
		default:
			return fmt.Errorf("write %v to the caller: %w", r.stream, err)
		}
	}
	return nil
}

// wait blocks until the child wrote something. It also notices when the caller's reader goes away
// in that time, so that the child's next write fails as it would without us, and not one write
// later.
func (r *relay) wait() error {
	fds := []unix.PollFd{
		{Fd: int32(r.from), Events: unix.POLLIN},
		{Fd: int32(r.to)}, // no events requested: errors and hang-ups are always reported
		r.stop.pollFd(),
	}
	if err := poll(fds, -1); err != nil {
		return err
	}
	switch {
	case fds[2].Revents != 0:
		return errStopped
	case fds[1].Revents&(unix.POLLERR|unix.POLLHUP) != 0:
		return errGone
	}
	return nil
}

// linger lets what is waiting grow for a moment, or until no process is left that could print more.
func (r *relay) linger() error {
	return poll([]unix.PollFd{{Fd: int32(r.from)}, {Fd: int32(r.to)},
		r.stop.pollFd()}, gatherTime)
}

func (r *relay) waitWritable() error {
	fds := []unix.PollFd{
		{Fd: int32(r.to), Events: unix.POLLOUT},
		r.stop.pollFd(),
	}
	if err := poll(fds, -1); err != nil {
		return err
	}
	if fds[1].Revents != 0 {
		return errStopped
	}
	return nil
}

// end keeps why the relay ended and lets the child feel it.
func (r *relay) end(why error) {
	r.busy.Lock()
	defer r.busy.Unlock()
	switch why {
	case errEOF:
		r.giveBack()
	case errGone:
		r.gone()
	case errStopped:
		r.err = ErrCut
	default:
		r.giveBack()
		r.err = why
		if r.gate.broken() != nil {
			r.closeTo()
			return
		}
	}
	r.close()
}

// giveBack takes back the modes that the child left on at the caller's terminal.
func (r *relay) giveBack() {
	if r.filter != nil {
		_ = r.write(r.filter.End())
	}
}

func (r *relay) close() {
	unix.Close(r.from)
	r.from = none
	r.closeTo()
}

func (r *relay) closeTo() {
	if r.to != none {
		unix.Close(r.to)
		r.to = none
	}
}

// settle waits until what the child has printed so far is shown. A caller that does not read delays
// it for an instant only, and a child that continues to print until more went through than a
// terminal can hold.
func (r *relay) settle() {
	const (
		rounds = 10_000    // of a millisecond
		stuck  = 50        // times as fast it is over for a caller that does not read
		holds  = 128 << 10 // the kernel keeps 64 KiB and a line's 4 (tty_buffer.c, n_tty.c)
	)
	before := int64(-1)
	for waited := 0; waited < rounds; waited++ {
		if r.busy.TryLock() {
			if before < 0 {
				before = r.bytes
			}
			// The poll makes the kernel move what it has. The lock is held for that time: otherwise
			// output that is read but not shown yet would be missed.
			fds := []unix.PollFd{{Fd: int32(r.from), Events: unix.POLLIN}}
			done := r.from == none || poll(fds, 0) != nil || fds[0].Revents == 0 ||
				r.bytes-before > holds
			r.busy.Unlock()
			if done {
				return
			}
		}
		poll(nil, 1)
		if !r.flows() {
			waited += stuck
		}
	}
}

// flows reports whether the caller takes more now: then the relay continues sooner or later, even
// on a busy machine.
func (r *relay) flows() bool {
	fds := []unix.PollFd{{Fd: int32(r.to), Events: unix.POLLOUT}}
	return r.show == nil && r.gate.broken() == nil && poll(fds, 0) == nil &&
		fds[0].Revents == unix.POLLOUT
}

func (g *gate) broken() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}
