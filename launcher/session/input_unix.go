//go:build linux || darwin

package session

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// recheck is how often a run in the background checks whether it was brought to the foreground, in
// milliseconds. A shell sends SIGCONT only to a job that was stopped: "fg" of a running job changes
// the terminal's foreground group and sends no signal.
const recheck = 200

// A typist carries keys from the caller's terminal to the child.
type typist struct {
	term  *modes
	to    int    // the private terminal's master, or a pipe; non-blocking, ours
	line  bool   // to is a pipe: lines from the caller's line discipline, no raw mode
	stop  wakeup // the typist must end
	nudge wakeup // something changed, look again
	gate  *gate
	lazy  *lazy // nil: the keys are ours from the start
}

// run relays until stop, the end of the caller's terminal or the end of the child's.
func (k *typist) run() {
	defer unix.Close(k.to)
	buf := make([]byte, 4096)
	for {
		ready, err := k.await()
		if err == nil && ready {
			err = k.carry(buf)
		}
		if err != nil {
			return // the gate keeps the tap's own error; without keys the output continues
		}
	}
}

// await blocks until there may be keys for the child. It never reads in the background,
// where reading would stop the whole job (SIGTTIN) though the command asked for nothing.
func (k *typist) await() (ready bool, err error) {
	switch {
	case k.term.holder() == background || k.term.isHeld():
		_, err = k.poll(false, recheck)
		return false, err
	case k.lazy != nil && !k.lazy.decided:
		return false, k.consider()
	case !k.line && !k.term.isRaw() && !k.term.enter():
		_, err = k.poll(false, recheck)
		return false, err
	}
	what, err := k.poll(true, -1)
	return what == typed, err
}

// consider is one step of finding out whether the command wants the keys.
func (k *typist) consider() error {
	l := k.lazy
	if !l.due {
		what, err := k.poll(true, -1)
		l.due = what != quiet
		return err
	}
	what, err := k.poll(false, l.patience)
	if err == nil && what == quiet {
		l.check()
	}
	return err
}

// event is what ended a wait.
type event int

const (
	quiet  event = iota // the time is over
	nudged              // the child printed, or a signal changed something
	typed               // keys are waiting
)

// poll waits; for keys only if keys is set.
func (k *typist) poll(keys bool, timeout int) (event, error) {
	fds := []unix.PollFd{
		k.stop.pollFd(),
		k.nudge.pollFd(),
		{Fd: int32(k.term.fd), Events: unix.POLLIN},
	}
	if !keys {
		fds = fds[:2]
	}
	if err := poll(fds, timeout); err != nil {
		return quiet, err
	}
	switch {
	case fds[0].Revents != 0:
		return quiet, errStopped
	case fds[1].Revents != 0:
		k.nudge.clear()
		return nudged, nil
	case keys && fds[2].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0:
		return quiet, errEOF
	case keys && fds[2].Revents != 0:
		return typed, nil
	}
	return quiet, nil
}

// carry moves what was typed, recorded first. Nothing is dropped: when the child does not
// read, the typist waits, and the caller's terminal fills as it would without us.
func (k *typist) carry(buf []byte) error {
	n, err := k.read(buf)
	switch {
	case err == unix.EINTR || err == unix.EAGAIN:
		return nil
	case err != nil || n == 0:
		return errEOF // hung up, or end of file in line mode
	}
	p := buf[:n]
	if err := k.gate.pass(func(t Tap) error { return t.Input(Person, p) }); err != nil {
		return err
	}
	for len(p) > 0 {
		n, err := unix.Write(k.to, p)
		if n > 0 {
			p = p[n:]
		}
		switch err {
		case nil, unix.EINTR:
		case unix.EAGAIN:
			fds := []unix.PollFd{
				k.stop.pollFd(),
				{Fd: int32(k.to), Events: unix.POLLOUT},
			}
			if err := poll(fds, -1); err != nil {
				return err
			}
			if fds[0].Revents != 0 {
				return errStopped
			}
		case unix.EPIPE, unix.EIO:
			return errGone
		default:
			return fmt.Errorf("write input to the command: %w", err)
		}
	}
	return nil
}

func (k *typist) read(buf []byte) (int, error) {
	switch {
	case !k.line:
		return k.term.read(buf)
	case k.term.holder() == background || k.term.isHeld():
		return 0, unix.EAGAIN
	default:
		return unix.Read(k.term.fd, buf)
	}
}
