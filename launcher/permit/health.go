package permit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
)

// approvalEvents returns what the log says about approvals, oldest first.
func (p *Approvals) approvalEvents(f audit.Filter) iter.Seq2[approval.Event, error] {
	f.Kinds = []string{"approval."}
	return func(yield func(approval.Event, error) bool) {
		for entry, err := range p.record.Entries(f) {
			if errors.Is(err, fs.ErrNotExist) {
				return // nothing was recorded yet
			}
			var e approval.Event
			if err == nil {
				e, err = approval.ParseEvent(entry.Body)
			}
			if err != nil {
				err = fmt.Errorf("entry %d of the log: %w; try: tadactl audit verify", entry.Seq,
					err)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// ApprovalStats counts how questions were answered since a time; the zero time is from the
// beginning.
func (p *Approvals) ApprovalStats(since time.Time) (approval.Stats, error) {
	var bad error
	stats := approval.Summarize(func(yield func(approval.Event) bool) {
		for e, err := range p.approvalEvents(audit.Filter{Since: since}) {
			if bad = err; err != nil || !yield(e) {
				return
			}
		}
	})
	return stats, bad
}

// Canary puts a question into the inbox that must be denied and can never run, to see whether
// questions are read. It returns the id, which is not recorded before it was answered.
func (p *Approvals) Canary(ctx context.Context, agent string) (string, error) {
	if _, err := p.May(approval.TestPeople, approval.ChannelTadactl); err != nil {
		return "", err
	}
	if err := p.Ready(); err != nil {
		return "", err
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	var pick [1]byte
	if _, err := p.dir.Random.Read(pick[:]); err != nil {
		return "", err
	}
	e, _, err := p.Store.Request(ctx, approval.Request{
		Session: "canary", Payload: approval.Canary(int(pick[0]), agent, "", dir), Canary: true,
	})
	return e.ID, err
}
