package launcher

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/audit"
)

// approvalEvents returns what the log says of approvals, oldest first.
func (l *Launcher) approvalEvents(f audit.Filter) iter.Seq2[approval.Event, error] {
	f.Kinds = []string{"approval."}
	return func(yield func(approval.Event, error) bool) {
		for entry, err := range l.Entries(f) {
			if errors.Is(err, fs.ErrNotExist) {
				return // nothing was recorded yet
			}
			var e approval.Event
			if err == nil {
				e, err = approval.ParseEvent(entry.Body)
			}
			if err != nil {
				err = fmt.Errorf("entry %d of the log: %w; try: tadactl audit verify", entry.Seq, err)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// ApprovalStats counts how questions were answered since a time; the zero time is from the
// beginning.
func (l *Launcher) ApprovalStats(since time.Time) (approval.Stats, error) {
	var bad error
	stats := approval.Summarize(func(yield func(approval.Event) bool) {
		for e, err := range l.approvalEvents(audit.Filter{Since: since}) {
			if bad = err; err != nil || !yield(e) {
				return
			}
		}
	})
	return stats, bad
}

// ErrIntact is returned by RebuildApprovals where nothing is damaged.
var ErrIntact = errors.New("the approval database is not damaged; a rebuild would drop every open question")

// RebuildApprovals makes a lost or damaged database of approvals anew from the log, which is
// verified first. What was used or denied stays so; open questions and standing approvals are gone.
func (l *Launcher) RebuildApprovals(ctx context.Context) (approval.Rebuilt, error) {
	if _, err := l.May(approval.Mend, approval.ChannelTadactl); err != nil {
		return approval.Rebuilt{}, err
	}
	_, err := l.Pending(ctx)
	if err == nil {
		err = l.Compare(ctx)
	}
	switch {
	case err == nil:
		return approval.Rebuilt{}, ErrIntact
	case !errors.Is(err, approval.ErrCorrupt) && !errors.Is(err, approval.ErrMissing) && !errors.Is(err, approval.ErrBehind):
		return approval.Rebuilt{}, err // locked, or another's, or newer: rebuilding would not help
	}
	if _, err := l.Verify(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return approval.Rebuilt{}, fmt.Errorf("the log itself cannot be trusted: %w", err)
	}
	rebuilt, err := bolt.Rebuild(ctx, l.state.Approvals(), l.storeOptions(), l.approvalEvents(audit.Filter{}))
	if err != nil {
		return rebuilt, err
	}
	fresh, err := Place{State: l.state.Dir, Account: l.account}.Open()
	if err != nil {
		return rebuilt, err
	}
	log, err := fresh.OpenLog()
	if err != nil {
		return rebuilt, err
	}
	defer log.Close()
	return rebuilt, fresh.settle(log)
}

// Canary puts a question into the inbox that must be denied and can never run, to see whether
// questions are read. It returns the id, which is not recorded before it was answered.
func (l *Launcher) Canary(ctx context.Context, agent string) (string, error) {
	if _, err := l.May(approval.TestPeople, approval.ChannelTadactl); err != nil {
		return "", err
	}
	if err := l.ready(); err != nil {
		return "", err
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	var pick [1]byte
	if _, err := l.state.Random.Read(pick[:]); err != nil {
		return "", err
	}
	e, _, err := l.store.Request(ctx, approval.Request{
		Session: "canary", Payload: approval.Canary(int(pick[0]), agent, "", dir), Canary: true,
	})
	return e.ID, err
}
