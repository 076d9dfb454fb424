package permit

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"syscall"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
)

// tellLost ends approvals whose process used them and died before it recorded the result. The
// approval stays used; whether its command ran is in the entries of the run. The caller holds the
// outbox exclusively, so no other process is about to record it.
func (p *Approvals) tellLost(ctx context.Context, log *audit.Log) error {
	runs, err := p.Store.Unfinished(ctx)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if p.dir.Lives(run.Runner) {
			continue
		}
		events, err := p.Store.Finish(ctx, run.Envelope, approval.OutcomeLost,
			"its launcher died before it recorded the end")
		if errors.Is(err, approval.ErrUnknown) { // recorded by a process that died before it knew
			continue
		}
		if err == nil {
			_, err = AppendEvents(log, events, audit.Lazy)
		}
		if err == nil {
			err = p.forget(events, "")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Settle records the changes of the store that processes which died had not yet recorded, and the
// results that they never recorded. While others are at work it leaves that to them, or to the next
// process.
func (p *Approvals) Settle(log *audit.Log) error {
	if err := p.Ready(); err != nil {
		return err
	}
	outbox, err := p.dir.Lock("outbox", syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil
	}
	if err != nil {
		return err
	}
	defer outbox.Close()
	ctx, cancel := StoreContext()
	defer cancel()
	if err := p.tellLeft(ctx, log); err != nil {
		return err
	}
	return p.tellLost(ctx, log)
}

// tellLeft records what is in the outbox.
func (p *Approvals) tellLeft(ctx context.Context, log *audit.Log) error {
	events, err := p.Store.Unlogged(ctx)
	if err != nil || len(events) == 0 {
		return err
	}
	untold, err := p.untold(events)
	if err != nil {
		return err
	}
	if _, err := AppendEvents(log, untold, audit.Lazy); err != nil {
		return err
	}
	return p.forget(events, "")
}

// strayed is how far behind its place in the store's order an event may be told to the log: so many
// processes never wait at a time.
const strayed = 1000

// untold are the events that are not in the log: a process may have died after it had written them
// there. It reads the log from the end. Where that is packed and cannot be read by this program, it
// is older than anything that is left to tell.
func (p *Approvals) untold(events []approval.Event) ([]approval.Event, error) {
	told, first := make(map[string]bool), events[0].Seq
	for _, e := range events {
		first = min(first, e.Seq)
	}
	for e, err := range p.record.Newest(audit.Filter{Kinds: []string{"approval."}}) {
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, audit.ErrPacked) {
			break
		}
		if err != nil {
			return nil, err
		}
		told[string(e.Body)] = true
		var body struct{ Seq uint64 }
		if json.Unmarshal(e.Body, &body) == nil && body.Seq > 0 && body.Seq+strayed < first {
			break
		}
	}
	var untold []approval.Event
	for _, e := range events {
		if !told[string(e.Body())] {
			untold = append(untold, e)
		}
	}
	return untold, nil
}
