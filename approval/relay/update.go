package relay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/relay/wire"
)

// maxRuns bounds how often one transaction is run: each time another one was faster.
const maxRuns = 100

// An update is one transaction that changes something, over as many connections as it takes.
type update struct {
	db   *DB
	fn   func(approval.Tx) error
	runs int // of fn
}

// run runs the transaction on one connection. It reports false for one that has not happened, and
// has to run again on another.
func (u *update) run(ctx context.Context) (done bool, err error) {
	k, err := u.db.connect(ctx, wire.Message{Kind: wire.Update})
	if err != nil {
		return false, err
	}
	defer k.close()
	begun, err := k.answer(u.db.wait, wire.Begun)
	if err != nil {
		return false, err
	}
	for u.runs < maxRuns {
		u.runs++
		t := newTx(k, begun)
		if err := u.fn(t); err != nil || t.err != nil || len(t.changes) == 0 {
			_ = k.Send(wire.Message{Kind: wire.End}) // so that others need not wait for the close
			return true, cmp.Or(t.err, err)
		}
		ticket, err := u.db.ticket()
		if err == nil {
			err = k.sendChanges(t.changes)
		}
		if err != nil {
			return false, err
		}
		m, err := k.commit(ticket)
		switch {
		case err == nil && m.Kind == wire.Done:
			return true, nil
		case err == nil: // another transaction came first
			begun = m
		case errors.As(err, new(*approval.FileError)) && !errors.Is(err, approval.ErrUnsure):
			return false, err // nothing was changed
		default:
			return u.find(ticket, begun.Number, err)
		}
	}
	return false, nil
}

// find finds out whether a commit happened that has failed in a way that does not say so. An error
// of the database that is not known here is returned if it has not.
func (u *update) find(t wire.Ticket, before uint64, cause error) (done bool, err error) {
	done, err = u.db.fate(t, before, cause)
	if !done && err == nil && errors.As(cause, new(*wire.RemoteError)) {
		err = cause
	}
	return done, err
}

// ticket makes the ticket of a commit.
func (d *DB) ticket() (t wire.Ticket, err error) {
	if _, err := io.ReadFull(d.rand, t[:]); err != nil {
		return t, fmt.Errorf("approval: reading randomness: %w", err)
	}
	return t, nil
}

// maxPart is about how much is sent in one frame.
const maxPart = 1 << 20

// sendChanges sends what is changed, for the agent to keep until the commit.
func (k *talk) sendChanges(all []wire.Change) error {
	for len(all) > 0 {
		n, size := 0, 0
		for n < len(all) && (n == 0 || size+all[n].Size() <= maxPart) {
			size += all[n].Size()
			n++
		}
		if err := k.Send(wire.Message{Kind: wire.Changes, Changes: all[:n]}); err != nil {
			return k.failed(err)
		}
		all = all[n:]
	}
	return nil
}

// commit sends the end of the changes. From here on it is too late for the caller to cancel. An
// error that is neither the agent's nor about a file says that there is no answer.
func (k *talk) commit(ticket wire.Ticket) (wire.Message, error) {
	k.hold()
	k.until(k.db.wait)
	if err := k.Send(wire.Message{Kind: wire.Commit, Ticket: ticket}); err != nil {
		return wire.Message{}, err
	}
	m, err := k.Expect(wire.Done, wire.Begun)
	if remote, ok := errors.AsType[*wire.RemoteError](err); ok {
		err = remote.Named()
	}
	return m, err
}
