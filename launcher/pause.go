package launcher

import (
	"fmt"
	"os"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
)

// A machine of a fleet can be frozen so that what runs is stopped, not ended. Each launcher stops
// its own run, and lets it go on when the freeze is no longer written down: it looks when the
// fleet's agent sends the signal, before it waits for the command, and while the run is stopped.

// pausedLook is how often a run that is stopped looks whether it may go on. It also stops again
// what another process has continued.
const pausedLook = 250 * time.Millisecond

// paused receives while the run is stopped.
func (w *supervision) paused() <-chan time.Time {
	if w.pause == nil {
		return nil
	}
	return w.pause.C
}

// obey stops the run while its machine is frozen. A run that cannot be stopped, or for which that
// cannot be recorded, is ended.
func (w *supervision) obey() {
	why := w.l.frozen()
	switch {
	case why != "" && !w.process.Hold():
		w.process.Kill()
	case why != "" && w.pause == nil:
		w.limit.stop()
		w.pause = time.NewTicker(pausedLook)
		w.turned(record.KindPaused, "stopped: this machine is frozen: "+why, object{"why": why})
	case why == "" && w.pause != nil:
		w.pause.Stop()
		w.pause = nil
		w.turned(record.KindContinued, "continued: this machine is no longer frozen", object{})
		w.limit.goOn()
		w.process.Release()
	}
}

// turned tells the record and the person that the run was stopped, or goes on.
func (w *supervision) turned(kind, what string, body object) {
	fmt.Fprintf(os.Stderr, "tada-run: %s\n", what)
	if w.record(kind, body, audit.Durable) != nil || w.recorder.Mark(what) != nil {
		w.process.Kill()
	}
}
