package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/broker/network"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/refusal"
)

// elsewhere leaves the question open, for as long as the caller of the run allows to wait.
func (w *wants) elsewhere(ctx context.Context, log *audit.Log, r approval.Request, c network.Want,
	e approval.Envelope) (network.Word, error) {
	open := network.Word{Why: "not allowed yet", Question: e.ID}
	wait := w.j.Request.Wait
	if !w.leave(c, e.ID) || wait <= 0 {
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
		return network.Word{Why: past.DeniedByUser}, nil
	}
	return w.use(ctx, log, r, now)
}

// use consumes an approval, or uses the grant that it has become.
func (w *wants) use(ctx context.Context, log *audit.Log, r approval.Request,
	e approval.Envelope) (network.Word, error) {
	if e.PlanHash != plan.Hash(r.Payload) {
		ok, err := w.l.GrantedConnection(ctx, log, r)
		return network.Word{OK: ok, Why: "the approval was for another command"}, err
	}
	err := w.l.UseConnection(ctx, log, e)
	if errors.As(err, new(*approval.Refused)) {
		ok, err := w.l.GrantedConnection(ctx, log, r)
		return network.Word{OK: ok, Why: "its approval cannot be used any more"}, err
	}
	return network.Word{OK: err == nil}, err
}

// leave keeps a question for the end of the run, and reports whether it was not there yet.
func (w *wants) leave(c network.Want, id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.ContainsFunc(w.open, func(q refusal.Connection) bool { return q.Envelope == id }) {
		return false
	}
	w.open = append(w.open, refusal.Connection{Envelope: id, Program: programName(c.Program),
		Host: c.Text(), HumanCan: "tadactl approve " + id})
	return true
}

// left are the questions of the run that were not denied. One that was answered after its
// connection was refused is for the next run of the command.
func (w *wants) left() (open []refusal.Connection) {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	list := slices.Clone(w.open)
	w.mu.Unlock()
	ctx, cancel := permit.StoreContext()
	defer cancel()
	for i, c := range list {
		e, err := w.l.Store.Get(ctx, c.Envelope)
		switch {
		case err != nil || e.Decision == nil:
			open = append(open, c)
		case permit.Approves(e.Decision.Calls):
			list[i].HumanCan = ""
			open = append(open, list[i])
		}
	}
	return open
}

// settled drops a question that was answered during the run.
func (w *wants) settled(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = slices.DeleteFunc(w.open, func(c refusal.Connection) bool { return c.Envelope == id })
}
