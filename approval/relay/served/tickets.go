package served

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/relay/wire"
)

// The newest tickets are one value in [approval.MetaBucket]: the number of all there were, in 8
// bytes, and for each of the newest its 16 bytes and a mark. A client asks seconds after its
// commit, and says how many there were before it: a ticket that is not here was never used, unless
// more than maxTickets have come since.

// ticketsKey is the key of the tickets, which clients neither read nor change.
const ticketsKey = "relay"

const (
	maxTickets = 128

	// the marks of a ticket
	committed = 'c'
	barred    = 'b' // it was asked for, and had not happened: now it never will

	ticketSize = len(wire.Ticket{}) + 1
)

// tickets are what is stored of them.
type tickets struct {
	number uint64
	newest []byte // ticketSize each, the newest last
}

// readTickets reads them. A value that is not as it must be is none, and makes every fate unknown
// that was decided before.
func readTickets(tx approval.Tx) tickets {
	v := tx.Get(approval.MetaBucket, ticketsKey)
	if len(v) < 8 || (len(v)-8)%ticketSize != 0 || len(v) > 8+maxTickets*ticketSize {
		return tickets{}
	}
	return tickets{binary.BigEndian.Uint64(v), bytes.Clone(v[8:])}
}

// mark returns the mark of a ticket; 0 if it is not among the newest.
func (s tickets) mark(t wire.Ticket) byte {
	for all := s.newest; len(all) > 0; all = all[ticketSize:] {
		if bytes.Equal(all[:len(t)], t[:]) {
			return all[len(t)]
		}
	}
	return 0
}

// add stores one more.
func (s tickets) add(tx approval.Tx, t wire.Ticket, mark byte) error {
	newest := append(append(s.newest, t[:]...), mark)
	newest = newest[max(0, len(newest)-maxTickets*ticketSize):]
	v := binary.BigEndian.AppendUint64(nil, s.number+1)
	return tx.Put(approval.MetaBucket, ticketsKey, append(v, newest...))
}

// errBarred refuses a commit whose client was told that it had not happened.
var errBarred = errors.New("the client has given this commit up")

// commit ends the transaction of a client.
func commit(tx approval.Tx, t wire.Ticket) error {
	s := readTickets(tx)
	if s.mark(t) != 0 {
		return errBarred
	}
	return s.add(tx, t, committed)
}

// ask answers what became of a ticket that was used when there had been m.Number of them. A ticket
// that was not used is barred in the same transaction, so the answer stays true.
func (g *guest) ask(ctx context.Context, m wire.Message) error {
	fate := wire.Unknown
	err := g.db.Update(ctx, func(tx approval.Tx) error {
		s := readTickets(tx)
		switch mark := s.mark(m.Ticket); {
		case mark == committed:
			fate = wire.Happened
		case mark == barred:
			fate = wire.Never
		case s.number < m.Number || s.number-m.Number > uint64(len(s.newest)/ticketSize):
			fate = wire.Unknown
		default:
			fate = wire.Never
			return s.add(tx, m.Ticket, barred)
		}
		return errEnded
	})
	if err != nil && !errors.Is(err, errEnded) {
		return g.fail(err)
	}
	return g.Send(wire.Message{Kind: wire.Fate, Number: uint64(fate)})
}
