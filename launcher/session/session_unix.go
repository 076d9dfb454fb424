//go:build linux || darwin

package session

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// A Session relays between a caller's descriptors and those of one child. Its methods are
// called by one goroutine, except Failed, Err and Restore.
type Session struct {
	caller Stdio
	plan   plan
	gate   *gate

	child [3]*os.File // what the child gets; a file may be there twice
	own   []*os.File  // the pipes among them, which the session made and closes
	// the private terminal's other end; open until Ended, because a command may close it and open
	// it again
	peer    *os.File
	relays  []*relay
	keys    *typist // nil: no one types
	term    *modes  // the caller's terminal; nil: none
	stop    wakeup  // ends the relays
	quit    wakeup  // ends the typist
	nudge   wakeup  // the typist looks again
	signals chan os.Signal
	resumed chan os.Signal
	running sync.WaitGroup // relays
	helpers sync.WaitGroup // typist and signals
	started bool
	ended   bool
	show    func([]byte) // of a session that is held: instead of a descriptor of the caller

	mu     sync.Mutex
	master int // the private terminal; -1 without one or after a hang-up
}

// Open looks at the caller's descriptors and prepares what the child gets in their place.
// Nothing is relayed and the caller's terminal is not touched before Started. An error
// means that the system gave no terminal, pipe or wake-up; nothing is left open then.
func Open(caller Stdio, mode PTY, tap Tap) (*Session, error) {
	return open(&Session{caller: caller, plan: decide(mode, inspect(caller))}, tap)
}

// open prepares a session whose caller and plan are known.
func open(s *Session, tap Tap) (*Session, error) {
	s.master, s.stop, s.quit, s.nudge = none, noWakeup, noWakeup, noWakeup
	s.gate = &gate{tap: tap, failed: make(chan struct{})}
	if err := s.prepare(); err != nil {
		s.release()
		return nil, fmt.Errorf("open the session: %w", err)
	}
	return s, nil
}

func (s *Session) prepare() (err error) {
	for _, w := range []*wakeup{&s.stop, &s.quit, &s.nudge} {
		if *w, err = newWakeup(); err != nil {
			return err
		}
	}
	var peer *os.File
	if s.plan.screen != none {
		if peer, err = s.openScreen(); err != nil {
			return err
		}
	}
	for fd, file := range s.caller.files() {
		if err := s.equip(fd, file, peer); err != nil {
			return err
		}
	}
	return s.equipKeys(peer)
}

// openScreen makes the private terminal, a copy of the caller's in modes and size.
func (s *Session) openScreen() (peer *os.File, err error) {
	if s.master, peer, err = openPTY(); err != nil {
		return nil, err
	}
	s.peer = peer
	size := unix.Winsize{Col: defaultCols, Row: defaultRows}
	for _, file := range s.caller.files() {
		if file == nil {
			continue
		}
		if t, err := unix.IoctlGetTermios(int(file.Fd()), getTermios); err == nil {
			unix.IoctlSetTermios(s.master, setTermios, t)
			size, _ = sizeOf(int(file.Fd()))
			break
		}
	}
	if err := unix.IoctlSetWinsize(s.master, unix.TIOCSWINSZ, &size); err != nil {
		return nil, fmt.Errorf("set the terminal's size: %w", err)
	}
	from, err := dup(s.master)
	if err != nil {
		return nil, err
	}
	to := s.caller.files()[s.plan.screen]
	if s.show != nil {
		to = nil
	}
	return peer, s.addRelay(Screen, from, to)
}

// equip fills descriptor fd of the child by the plan.
func (s *Session) equip(fd int, file, peer *os.File) error {
	switch s.plan.child[fd] {
	case nothing:
	case asIs:
		s.child[fd] = file
	case slave:
		s.child[fd] = peer
	case merged:
		s.child[fd] = s.child[1]
	case piped:
		ours, theirs, err := newPipe(fd != 0)
		if err != nil {
			return err
		}
		s.own = append(s.own, theirs)
		s.child[fd] = theirs
		if fd == 0 {
			s.keys = &typist{to: ours, line: true}
			return nil
		}
		return s.addRelay(Stream(fd), ours, file)
	}
	return nil
}

// addRelay takes over from. What it writes to is a duplicate: a relay may be blocked in a write
// longer than the caller keeps its own open, and the number would be another file's by then.
func (s *Session) addRelay(stream Stream, from int, to *os.File) (err error) {
	r := &relay{stream: stream, from: from, to: none, stop: s.stop, gate: s.gate, show: s.show,
		shown: func() {}, gone: func() {}}
	s.relays = append(s.relays, r)
	if opened(to, unix.O_WRONLY) {
		if r.to, err = dupFile(to); err != nil {
			return err
		}
	}
	if r.to != none && kindOf(to, new(unix.Stat_t)) == terminal {
		r.filter = &Filter{Keys: s.keyed}
	}
	if stream == Screen {
		r.gone = s.hangUp
		if r.to != none && kindOf(to, new(unix.Stat_t)) == terminal {
			r.screen = cooked{private: from, caller: r.to}
		}
	}
	return nil
}

// equipKeys prepares the typist.
func (s *Session) equipKeys(peer *os.File) error {
	if s.plan.keys == none || !opened(s.caller.files()[s.plan.keys], unix.O_RDONLY) {
		return nil
	}
	fd, err := dupFile(s.caller.files()[s.plan.keys])
	if err != nil {
		return err
	}
	s.term = &modes{fd: fd}
	if s.keys == nil {
		to, err := dup(s.master)
		if err != nil {
			return err
		}
		s.keys = &typist{to: to}
		if !s.plan.eager || s.term.holder() == foreign {
			var st unix.Stat_t
			if err := unix.Fstat(int(peer.Fd()), &st); err != nil {
				return fmt.Errorf("look at the terminal: %w", err)
			}
			l := newLazy(to, uint64(st.Rdev))
			s.keys.lazy = l
			s.relays[0].shown = func() { // the screen's
				if l.armed.CompareAndSwap(true, false) {
					s.nudge.raise()
				}
			}
			s.term.keepOut = !s.plan.eager
		}
	}
	k := s.keys
	k.term, k.stop, k.nudge, k.gate = s.term, s.quit, s.nudge, s.gate
	return nil
}

// ChildFiles returns the child's descriptors 0, 1 and 2; nil means closed. They belong to
// the session and are valid until Started or Close.
func (s *Session) ChildFiles() [3]*os.File { return s.child }

// TTY returns the child's descriptor that must become its controlling terminal (setsid(2), then
// TIOCSCTTY), or -1 for none; then the child still needs a new session, so that it cannot reach the
// caller's terminal.
func (s *Session) TTY() int {
	for fd, g := range s.plan.child {
		if g == slave {
			return fd
		}
	}
	return -1
}

// Size returns the terminal's size in cells, 80 by 24 where there is none.
func (s *Session) Size() (cols, rows int) {
	size := unix.Winsize{Col: defaultCols, Row: defaultRows}
	switch {
	case s.term != nil:
		size, _ = sizeOf(s.term.fd)
	case s.show != nil:
		size, _ = s.masterSize()
	}
	return int(size.Col), int(size.Row)
}

// HasTerminal reports whether the child gets a private terminal.
func (s *Session) HasTerminal() bool { return s.plan.screen != none }

func (s *Session) closeOwn() {
	for _, f := range s.own {
		f.Close()
	}
	s.own = nil
}

func (s *Session) closePeer() {
	if s.peer != nil {
		s.peer.Close()
		s.peer = nil
	}
}

// release closes what is still open. The relays close their own ends themselves once they
// ran.
func (s *Session) release() {
	s.closeOwn()
	s.closePeer()
	if !s.started {
		for _, r := range s.relays {
			r.close()
		}
		if s.keys != nil {
			unix.Close(s.keys.to)
		}
	}
	if s.term != nil {
		s.term.close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.master >= 0 {
		unix.Close(s.master)
		s.master = none
	}
	for _, w := range []*wakeup{&s.stop, &s.quit, &s.nudge} {
		w.close()
	}
}

// dup returns a descriptor of the same open file, which is the session's own to close.
func dup(fd int) (int, error) {
	n, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return none, fmt.Errorf("duplicate a descriptor: %w", err)
	}
	return n, nil
}

func dupFile(f *os.File) (n int, err error) {
	n = none
	if bad := control(f, func(fd int) { n, err = dup(fd) }); bad != nil {
		return none, fmt.Errorf("duplicate %s: %w", f.Name(), bad)
	}
	return n, err
}

// control calls f with the descriptor of file, which cannot be closed during the call.
func control(file *os.File, f func(fd int)) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	return conn.Control(func(fd uintptr) { f(int(fd)) })
}
