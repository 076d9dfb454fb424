package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/broker/network"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/pathguard"
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
	said   map[wanted]network.Word
}

// A wanted is what is one question in a run.
type wanted struct{ program, host, leads string }

// newWants returns who is asked about the connections of a command; nil for nobody.
func newWants(l *Launcher, j *Judgement) *wants {
	if !j.asksConnections() {
		return nil
	}
	return &wants{l: l, j: j, ready: make(chan struct{}), said: map[wanted]network.Word{}}
}

// asksConnections reports whether somebody may be asked about connections.
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

// refusal is why nobody is asked.
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

// elsewhere leaves the question open, for as long as the caller of the run allows to wait.
func (w *wants) elsewhere(ctx context.Context, log *audit.Log, r approval.Request,
	e approval.Envelope) (network.Word, error) {
	open := network.Word{Why: "nobody has allowed it yet", Question: e.ID}
	wait := w.j.Request.Wait
	if wait <= 0 {
		return open, nil
	}
	fmt.Fprintf(os.Stderr, "tada-run: waiting %v for approval: tadactl approve %s\n", wait, e.ID)
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	now, err := w.l.Store.Wait(limited, e.ID)
	switch {
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		return open, nil
	case err != nil || now.Decision == nil:
		return open, err
	case !permit.Approves(now.Decision.Calls):
		return network.Word{Why: "denied by the user"}, nil
	}
	return w.use(ctx, log, r, now)
}

// use spends a yes, or uses the grant that it has become.
func (w *wants) use(ctx context.Context, log *audit.Log, r approval.Request,
	e approval.Envelope) (network.Word, error) {
	err := w.l.UseConnection(ctx, log, e)
	if errors.As(err, new(*approval.Refused)) {
		ok, err := w.l.GrantedConnection(ctx, log, r)
		return network.Word{OK: ok, Why: "its approval cannot be used any more"}, err
	}
	return network.Word{OK: err == nil}, err
}
