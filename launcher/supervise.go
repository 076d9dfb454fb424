package launcher

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/live"
	"github.com/tada-run/tada-run/launcher/session"
)

// wait relays and records until the command and everything it started have ended.
func (s *started) wait(ctx context.Context) (_ Outcome, err error) {
	defer func() {
		// Each signal takes two changes of thread, so a process that only exits keeps them. One
		// that still has something to print must be possible to end while it does.
		if !s.l.once || s.Request.Ask != nil || err != nil {
			go signal.Stop(s.signals)
		}
	}()

	w := &supervision{started: s}
	w.background, w.ends = s.mayStay()
	changes := make(chan change)
	go w.reap(changes)
	sealing := time.AfterFunc(sealAfter, w.seal)
	defer sealing.Stop()
	w.limit.begin(w.timeout())
	w.obey()
	done, failed := ctx.Done(), w.terminal.Failed()
	for {
		select {
		case <-w.paused():
			w.obey()
		case <-w.hosting.ordered():
			w.stop()
		case sig := <-w.signals:
			w.signal(sig)
		case <-w.ownerEnded():
			w.endsBy("the end of " + w.owner.Name)
			w.owner.Ended = nil
			w.stop()
		case <-w.limit.over():
			w.timedOut = true
			w.endsBy("time limit")
			w.stop()
		case <-done:
			done = nil
			w.stop()
		case <-w.kill:
			w.process.Kill()
		case <-w.process.Noted():
			if w.contacts.update(w.started) != nil {
				w.process.Kill()
			}
		case <-failed: // what cannot be recorded must not go on
			failed = nil
			w.process.Kill()
		case c := <-changes:
			if w.changed(c) {
				return w.finish(c)
			}
		}
	}
}

// changed follows what the kernel reported of the command. It reports whether all has ended.
func (w *supervision) changed(c change) (over bool) {
	switch {
	case c.err == nil && c.status.Stays:
		// It was asked to end, or cannot be reported as what it is.
		if w.kill != nil || w.handOver(c) != nil {
			w.process.Kill()
		}
	case c.err != nil || c.status.Ended():
		return true
	case c.status.Stopped != 0 && w.follows(c.status.Stopped):
		w.suspend(c.status.Stopped)
	}
	return false
}

// stop asks the command to end, and has it killed if it does not.
func (w *supervision) stop() {
	if w.kill != nil {
		return
	}
	if w.pause != nil {
		w.process.Kill() // what is stopped does not tidy up
	}
	if w.hosting != nil {
		w.hangUp()
	} else {
		_ = w.process.SignalGroup(syscall.SIGTERM)
		_ = w.process.SignalGroup(syscall.SIGCONT)
	}
	w.kill = time.After(killGrace)
}

// signal takes a signal that this process got.
func (w *supervision) signal(sig os.Signal) {
	switch {
	case sig == live.Order:
		w.obey()
	case w.pause != nil && w.endsOn(sig):
		w.endsBy("signal")
		w.process.Kill() // it would not hear it
	case w.hosting != nil && (sig == syscall.SIGTERM || sig == syscall.SIGHUP):
		w.stop() // logout, shutdown, tadactl kill
	case w.isOver():
		if w.endsOn(sig) {
			w.endsBy("signal")
			w.stop()
		}
	default:
		w.stopping = w.stopping || sig == syscall.SIGTSTP
		w.forward(sig)
	}
}

// forward passes a signal of the launcher on to the processes that would have had it.
func (w *supervision) forward(sig os.Signal) {
	if sig == syscall.SIGCONT && !session.Stopped(w.process.Pid()) {
		return
	}
	_ = w.recorder.Signal(audit.AuthorTada, strings.ToUpper(sig.String()))
	switch s, ok := sig.(syscall.Signal); {
	case !ok:
	case session.Forward(sig) == session.Leader:
		_ = w.process.Signal(s)
	case session.Forward(sig) == session.Group:
		_ = w.process.SignalGroup(s)
	}
}

// killGrace is how long a command may tidy up after SIGTERM. Clients that time out wait about
// as long before they kill us.
const killGrace = 2 * time.Second

// reap passes on every change of the command up to its end.
func (w *supervision) reap(changes chan<- change) {
	for {
		s, err := w.process.Next()
		changes <- change{s, err}
		if err != nil || s.Ended() && !s.Stays {
			return
		}
	}
}

// follows reports whether our own job stops with the command: when a person stopped it, from
// its terminal or by stopping us. A command that stops itself must not freeze its caller,
// which may be a program that nothing continues.
func (w *supervision) follows(sig syscall.Signal) bool {
	asked := w.stopping
	w.stopping = false
	if w.Request.Keep != nil { // the process that was called stops by itself
		return false
	}
	return asked || w.terminal.HasTerminal() && sig != syscall.SIGSTOP
}

// suspend follows the command into a stop, as a shell expects it of a job, and continues it
// when the job is continued.
func (w *supervision) suspend(sig syscall.Signal) {
	_ = w.recorder.Signal(audit.AuthorTada, "STOP")
	if err := w.terminal.Suspend(sig); err == nil {
		_ = w.recorder.Signal(audit.AuthorTada, "CONT")
	}
	_ = w.process.SignalGroup(syscall.SIGCONT)
}
