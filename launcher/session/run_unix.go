//go:build linux || darwin

package session

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// Started is called once the child runs: it closes the child's ends here, except that of the
// terminal, takes the caller's terminal if it is ours to take, and relays from now on. For a child
// that could not be started it is Ended alone that is called.
//
// Input that is not a terminal is given up to the child: the caller's descriptor in this
// process becomes /dev/null, so that a producer notices when the child stops reading.
func (s *Session) Started() {
	if s.started {
		return
	}
	s.started = true
	s.closeOwn()
	s.giveUpInput()
	if s.keys != nil && !s.keys.line && s.keys.lazy == nil {
		// Before the first output: the private terminal has made its line ends, and a
		// terminal that is not raw yet would make them again.
		s.term.enter()
	}
	for _, r := range s.relays {
		s.running.Go(func() {
			defer s.restoreOnPanic()
			r.run()
		})
	}
	if s.keys == nil {
		return
	}
	s.signals, s.resumed = make(chan os.Signal, 8), make(chan os.Signal, 8)
	signal.Notify(s.signals, syscall.SIGWINCH, syscall.SIGCONT)
	signal.Notify(s.resumed, syscall.SIGCONT)
	s.helpers.Go(func() {
		defer s.restoreOnPanic()
		s.keys.run()
	})
	s.helpers.Go(func() {
		defer s.restoreOnPanic()
		s.watch()
	})
}

func (s *Session) restoreOnPanic() {
	if p := recover(); p != nil {
		s.Restore()
		panic(p)
	}
}

func (s *Session) giveUpInput() {
	if s.plan.child[0] != asIs {
		return
	}
	fd, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	// The number is the caller's while this lasts. Without that, a caller that had closed it would
	// lose the file that has the number by then.
	_ = control(s.caller.In, func(in int) { putOver(fd, in) })
}

// watch follows the caller's terminal.
func (s *Session) watch() {
	for sig := range s.signals {
		if sig == syscall.SIGCONT {
			s.term.lost()
			if s.term.isRaw() {
				s.term.enter() // the shell had set its own modes
			}
		}
		s.resize()
		s.nudge.raise()
	}
}

// resize copies the caller's size, recorded first. The kernel tells the child's foreground
// group (SIGWINCH), and only if the size is another one.
func (s *Session) resize() {
	if size, ok := sizeOf(s.term.fd); ok {
		_ = s.setSize(size)
	}
}

// setSize does nothing where the size is the same one. The tap is called without the lock, because
// it may ask for Hidden, which takes it.
func (s *Session) setSize(size unix.Winsize) error {
	if old, open := s.masterSize(); !open || old.Col == size.Col && old.Row == size.Row {
		return nil
	}
	if err := s.gate.pass(func(t Tap) error { return t.Resize(int(size.Col), int(size.Row)) }); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.master < 0 {
		return nil
	}
	return unix.IoctlSetWinsize(s.master, unix.TIOCSWINSZ, &size)
}

// masterSize returns the private terminal's size, and whether there is one.
func (s *Session) masterSize() (size unix.Winsize, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.master < 0 {
		return unix.Winsize{Col: defaultCols, Row: defaultRows}, false
	}
	size, _ = sizeOf(s.master)
	return size, true
}

// hangUp takes the private terminal from the child, as when a window is closed.
func (s *Session) hangUp() {
	s.quit.raise()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.master >= 0 {
		unix.Close(s.master)
		s.master = -1
	}
}

// Hidden reports whether the child reads something that it does not show: a password
// prompt has echo off and lines on. (readline has both off, and echoes by itself.) A tap
// asks it in Input to decide whether the keys may be kept.
func (s *Session) Hidden() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.master < 0 {
		return false
	}
	t, err := unix.IoctlGetTermios(s.master, getTermios)
	return err == nil && t.Lflag&unix.ECHO == 0 && t.Lflag&unix.ICANON != 0
}

// keyed reports whether the child reads keys one by one, as programs do that draw what is typed.
func (s *Session) keyed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.master < 0 {
		return false
	}
	t, err := unix.IoctlGetTermios(s.master, getTermios)
	return err == nil && t.Lflag&unix.ICANON == 0
}

// tidy throws away late answers of the terminal.
func (s *Session) tidy() {
	for _, r := range s.relays {
		if r.filter != nil && r.filter.Asked() && s.term != nil && s.term.isRaw() {
			_ = poll(nil, answerTime)
			_ = flushKeys(s.term.fd)
		}
	}
}

// answerTime is how long a terminal may take to answer, in milliseconds: what comes later is typed
// at the shell.
const answerTime = 50

// Failed is closed when the tap failed: the relays have stopped, and the child should be
// killed.
func (s *Session) Failed() <-chan struct{} { return s.gate.failed }

// Err returns the tap's first error, wrapped; nil if there was none.
func (s *Session) Err() error { return s.gate.broken() }

// Suspend is called when the child's group was stopped by sig. It gives the caller's
// terminal back, stops our own job by the same signal, as a shell expects it of a job, and
// returns when the job was continued and the terminal is ours again (with "fg") or not
// (with "bg"); then the caller continues the child's group. Where no shell could continue
// us it returns at once.
func (s *Session) Suspend(sig syscall.Signal) error {
	for _, r := range s.relays {
		r.settle() // a full-screen program restores the screen just before it stops
	}
	resumed := s.resumed
	if resumed == nil {
		resumed = make(chan os.Signal, 8)
		signal.Notify(resumed, syscall.SIGCONT)
		defer signal.Stop(resumed)
	}
	wasRaw := s.term != nil && s.term.isRaw()
	s.Restore()
	if err := stopGroup(sig, resumed); err != nil {
		return err
	}
	if s.term != nil {
		s.term.allow()
		if wasRaw {
			s.term.enter()
		}
		s.resize()
		s.nudge.raise()
	}
	return nil
}

// Ended is called when no process of the run is left, or none that will be waited for. It
// relays what is still unread, gives the caller's terminal back and releases everything.
//
// A session that never started is only released. Else it returns when every stream is at its
// end, however slowly the caller reads, or when ctx
// ends: then with ErrCut. A tap's error comes first, and an error of the caller's own
// descriptor (a full disk behind it) is reported too. A reader that went away is no error.
func (s *Session) Ended(ctx context.Context) error {
	if s.ended {
		return s.Err()
	}
	s.ended = true
	if !s.started {
		s.release()
		return nil
	}
	s.closePeer()
	finished := make(chan struct{})
	go func() {
		s.running.Wait()
		close(finished)
	}()
	cut := error(nil)
	select {
	case <-finished:
	case <-s.gate.failed:
	case <-ctx.Done():
		cut = ErrCut
	}
	s.stop.raise()
	s.quit.raise()
	if cut == nil && s.Err() == nil { // else a relay may still be at work
		s.tidy()
	}
	s.Restore()
	if s.signals != nil {
		signal.Stop(s.signals)
		signal.Stop(s.resumed)
		close(s.signals)
	}
	if err := s.Err(); err != nil {
		return err
	}
	if cut != nil {
		return cut // a relay may still be blocked in a write: its descriptors stay open
	}
	if s.keys == nil || !s.keys.line {
		s.helpers.Wait()
		s.release()
	} // else it may be blocked in a read of a line that another process took
	errs := make([]error, 0, 3)
	for _, r := range s.relays {
		errs = append(errs, r.err)
	}
	return errors.Join(errs...)
}

// Restore gives the caller's terminal back as it was. It may be called at any time, also
// twice, and from a deferred call when the launcher panics.
func (s *Session) Restore() {
	if s.term != nil {
		s.term.leave()
	}
}

// Bytes returns how many bytes of each stream the tap was given. It is for after Ended.
func (s *Session) Bytes() map[Stream]int64 {
	sums := map[Stream]int64{}
	for _, r := range s.relays {
		sums[r.stream] = r.bytes
	}
	return sums
}
