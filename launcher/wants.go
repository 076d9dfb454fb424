package launcher

import (
	"errors"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/launcher/broker/network"
	"github.com/tada-run/tada-run/launcher/caller"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/pathname"
)

// wants are the connections of one run that no rule allows. The caller of each waits: at a terminal
// the person is asked, elsewhere the question is left open and the connection refused. One question
// is asked for all that a program wants of a host and port.
type wants struct {
	l *Launcher
	j *Judgement

	ready     chan struct{}    // closed when the command's terminal is relayed
	terminal  *session.Session // after that
	interrupt func()           // the command, as Ctrl-C does

	asking sync.Mutex // one question at a time
	said   map[wanted]said

	mu   sync.Mutex
	open []refusal.Connection // questions that were left open
}

// A said is the last answer, and when it was given.
type said struct {
	network.Word
	lasts lasting
	at    time.Time
	six   bool // the address was one of IPv6
}

// lasting is what an answer is for.
type lasting int

const (
	forOne lasting = iota // this connection, and one to the name's address of the other family
	forNow                // those of a moment: a program tries each address of a name
	forRun
)

// again is how long an answer counts that left its question open: the run may last for days, and a
// person may answer in that time.
const again = time.Second

func (s said) isFor(now time.Time, six bool) bool {
	return s.lasts == forRun || s.lasts == forNow && now.Sub(s.at) < again ||
		s.lasts == forOne && s.six != six
}

// A wanted is what is one question in a run.
type wanted struct{ program, host, leads string }

// newWants returns the asker about the connections of a command; nil if no one is asked.
func newWants(l *Launcher, j *Judgement) *wants {
	if !j.asksConnections() {
		return nil
	}
	return &wants{l: l, j: j, ready: make(chan struct{}), said: map[wanted]said{}}
}

// asksConnections reports whether a person may be asked about connections.
func (j *Judgement) asksConnections() bool {
	return j.Request.Profile != profileCI && !j.policy.Settings().Level.Never
}

// begin says that the command runs, where its terminal is and how it is interrupted.
func (w *wants) begin(terminal *session.Session, interrupt func()) {
	if w != nil {
		w.terminal, w.interrupt = terminal, interrupt
		close(w.ready)
	}
}

// identity is a program as a grant binds it.
func identity(p network.Program) string {
	if p.Own || p.ID == "" {
		return plan.OwnCode
	}
	return p.Path + " " + p.ID
}

// refusal is the reason why no one is asked.
func (w *wants) refusal(r *approval.Refused) string {
	if errors.Is(r.Err, approval.ErrDenied) {
		return "denied by the user"
	}
	f, _ := approval.Explain(r)
	return f.In(w.j.Locale() == pathguard.Chinese, r.Envelope)
}

// asksHere reports whether the person at this terminal is asked.
func (w *wants) asksHere() bool {
	req := w.j.Request
	return req.Ask != nil && req.Hold == nil && req.Within == nil && w.l.AtPerson()
}

// asksDaemon reports whether the person may be asked about the Unix socket of a program outside:
// not about ours, and not about those of programs that speak for the person.
func (w *wants) asksDaemon(name string, holders []network.Holder) bool {
	speaks := func(h network.Holder) bool { return !caller.MayServe(h.PID) }
	never := append(w.j.policy.RestrictedPaths(), w.l.state.Dir)
	return !w.j.policy.Settings().NoLocalhost && !slices.ContainsFunc(holders, speaks) &&
		!slices.ContainsFunc(never,
			func(dir string) bool { return pathname.Within(name, filepath.Clean(dir)) })
}

// programName is a program as a person knows it.
func programName(p network.Program) string {
	if p.Path == "" {
		return "a program"
	}
	return path.Base(p.Path)
}
