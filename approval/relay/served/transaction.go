package served

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/relay/wire"
)

// A transaction is one that a client has open.
type transaction struct {
	*guest
	changes bool // it may change something
	talking error
	bytes   int // of the changes
}

// maxBytes bounds what one transaction changes.
const maxBytes = 64 << 20

// run lets the client use tx until it commits or ends the transaction. The database may run it
// again, if another transaction came first; then the client begins again too.
func (t *transaction) run(tx approval.Tx) error {
	_ = t.conn.SetDeadline(time.Now().Add(maxOpen))
	t.bytes, t.talking = 0, nil
	begun := wire.Message{Kind: wire.Begun, Yes: tx != nil}
	if tx != nil {
		begun.Seq = tx.Seq()
	}
	if t.changes {
		begun.Number = readTickets(tx).number
	}
	if t.talking = t.Send(begun); t.talking != nil {
		return t.talking
	}
	for {
		m, err := t.Receive()
		if err == nil && m.Kind == wire.End {
			return errEnded
		}
		if err == nil && m.Kind == wire.Commit && t.changes {
			return commit(tx, m.Ticket)
		}
		if err == nil {
			err = t.do(tx, m)
		}
		if err != nil {
			t.talking = err
			return err
		}
	}
}

// ended tells the client how its transaction has ended. It returns an error if the connection has
// to end with it.
func (t *transaction) ended(err error) error {
	switch {
	case t.talking != nil:
		return t.explain(t.talking)
	case errors.Is(err, errEnded):
		return nil
	case err != nil:
		return t.fail(err)
	}
	_ = t.conn.SetDeadline(time.Now().Add(maxAnswer))
	return t.Send(wire.Message{Kind: wire.Done})
}

// do does what the client asks for inside its transaction.
func (t *transaction) do(tx approval.Tx, m wire.Message) error {
	b := approval.Bucket(m.Bucket)
	switch {
	case m.Kind == wire.Get && isPlace(b, m.Key) && tx != nil:
		value := tx.Get(b, m.Key)
		return t.Send(wire.Message{Kind: wire.Value, Yes: value != nil, Value: value})
	case m.Kind == wire.List && isBucket(b) && tx != nil:
		return t.list(tx.Keys(b))
	case m.Kind == wire.Changes && t.changes:
		for _, c := range m.Changes {
			if err := t.change(tx, c); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("%w: kind %q is out of place", wire.ErrFormat, byte(m.Kind))
}

// maxPart is about how much is sent in one frame.
const maxPart = 1 << 20

// list sends the keys of a bucket.
func (t *transaction) list(keys []string) error {
	for {
		n, size := 0, 0
		for n < len(keys) && size < maxPart {
			size += 4 + len(keys[n])
			n++
		}
		m := wire.Message{Kind: wire.Names, Names: keys[:n], Yes: n < len(keys)}
		if err := t.Send(m); err != nil || !m.Yes {
			return err
		}
		keys = keys[n:]
	}
}

// change makes one change of the client.
func (t *transaction) change(tx approval.Tx, c wire.Change) error {
	if t.bytes += c.Size(); t.bytes > maxBytes {
		return fmt.Errorf("%w: more than %d bytes of changes", wire.ErrTooLong, maxBytes)
	}
	b := approval.Bucket(c.Bucket)
	switch c.Way {
	case wire.Put, wire.Delete:
		if !isPlace(b, c.Key) {
			return fmt.Errorf("%w: key %.64q of %.64q", errPlace, c.Key, c.Bucket)
		}
		if c.Way == wire.Delete {
			return tx.Delete(b, c.Key)
		}
		return tx.Put(b, c.Key, c.Value)
	case wire.SetSeq:
		return tx.SetSeq(binary.BigEndian.Uint64(c.Value))
	case wire.Changed:
		if !isID(c.Key) {
			return fmt.Errorf("%w: question %.64q", errPlace, c.Key)
		}
		tx.Changed(c.Key)
	}
	return nil
}

func isBucket(b approval.Bucket) bool { return slices.Contains(approval.Buckets, b) }

// isPlace reports whether clients may read and change the value at a key.
func isPlace(b approval.Bucket, key string) bool {
	return isBucket(b) && (b != approval.MetaBucket || key != ticketsKey)
}

// isID reports whether a text may be the id of a question; it may become part of the name of a
// file.
func isID(id string) bool {
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' {
			return false
		}
	}
	return id != "" && len(id) <= 64
}
