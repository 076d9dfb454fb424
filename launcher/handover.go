package launcher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/caller"
	"github.com/tada-run/tada-run/launcher/watch"
)

// mayStay lets what the command leaves running go on, where that may be. Where the configuration
// wants it and it may not be, why says so, as far as there is something to say.
func (s *started) mayStay() (b *background, why string) {
	if !s.policy.Settings().KeepBackground {
		return nil, ""
	}
	if why := s.endsBehind(); why != "" || s.Request.Keep == nil {
		return nil, why
	}
	p := caller.OwnerOf(s.Request.Keep.From)
	if p == nil {
		return nil, "background: keep needs an agent, or a session whose leader is running"
	}
	s.process.Stay()
	return &background{owner: p}, ""
}

// handOver reports to the caller how the command ended. Its remaining processes continue after
// this; an error is the reason why they must not.
func (w *supervision) handOver(c change) error {
	ctx, cancel := context.WithTimeout(context.Background(), drainLimit)
	defer cancel()
	w.terminal.Settle(ctx)
	e := &ended{supervision: w, status: c.status, goesOn: true, asked: w.wants.left()}
	found := object{}
	if err := w.watched.Find(found, watch.BeforeHand, e.after(), os.Stderr); err != nil {
		return err
	}
	_ = w.watched.Find(found, watch.HandOver, e.after(), os.Stderr)
	out := e.outcome()
	w.kept.Miss("", "processes go on in the background, and nothing is kept of what they change")
	out.RunChanges = w.kept.Close(e.receipt)
	body := e.facts(out, found, nil)
	body["until"] = w.owner.Name
	problem := errors.Join(w.contacts.err, w.wrote(),
		w.recorder.Mark(fmt.Sprintf("the command ended with status %d; %s", out.Status,
			goesOn(c.status.Left))),
		w.record(audit.KindLeft, body, audit.Lazy))
	if problem != nil {
		return problem
	}
	w.tellStay(os.Stderr, c.status.Left)
	w.over = true
	return w.Request.Keep.Over(out)
}

// tellStay says that processes go on, and how to end them.
func (w *supervision) tellStay(out io.Writer, left []string) {
	end := "end it"
	if len(left) > 1 {
		end = "end them"
	}
	fmt.Fprintf(out, "tada-run: %s; %s: tadactl kill %s\n", goesOn(left), end, w.id)
}
