package launcher

import (
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/caller"
	"github.com/tada-run/tada-run/launcher/control"
)

// hangUp ends a session as closing its terminal does. A shell that has a terminal ignores SIGTERM;
// it obeys SIGHUP, and passes it on to its jobs.
func (r *started) hangUp() {
	r.process.Thaw() // what is frozen hears nothing
	for _, sig := range []unix.Signal{unix.SIGHUP, unix.SIGCONT} {
		_ = r.process.SignalGroup(sig)
		if group := r.terminal.Foreground(); group > 1 && group != os.Getpid() {
			_ = unix.Kill(-group, sig)
		}
	}
}

// A host is the run behind a session, as those who serve it see it.
type host struct{ *started }

func (h host) Now() time.Time                    { return h.l.state.Now() }
func (h host) Mark(label string) error           { return h.recorder.Mark(label) }
func (h host) Caller(pid string) approval.Caller { return caller.Of(pid) }
func (h host) LineEnded(status *int)             { h.hosting.requests.told(status) }
func (h host) Record(kind string, body object, d audit.Durability) error {
	return h.record(kind, body, d)
}

// session is the run as others attach to it.
func (s *started) session() control.Session {
	h := s.Request.Hold
	return control.Session{
		ID: s.id, Command: brief(s.shown, 200), Tier: s.tier(), Author: h.Author, Front: h.Front,
		Folder: s.l.state.Runtime(), Ground: s.ground(), Patience: s.l.frameTime,
		Takeover: s.policy.Settings().AllowTerminalTakeover,
		Terminal: s.terminal, Process: s.process, Host: host{s},
	}
}
