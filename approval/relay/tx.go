package relay

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/relay/wire"
)

// A tx is the [approval.Tx] of one run. After an error of the connection its reads find nothing,
// and what was found out from them must not be used.
type tx struct {
	talk    *talk
	seq     uint64
	values  map[place][]byte // as they are in the transaction; nil is none
	lists   map[approval.Bucket][]string
	changes []wire.Change
	err     error
}

// A place is where a value is.
type place struct {
	bucket approval.Bucket
	key    string
}

func newTx(k *talk, begun wire.Message) *tx {
	return &tx{talk: k, seq: begun.Seq, values: map[place][]byte{},
		lists: map[approval.Bucket][]string{}}
}

// ask sends a request and returns the answer; the zero Message after an error.
func (t *tx) ask(m wire.Message, want wire.Kind) wire.Message {
	if t.err == nil {
		if t.err = t.talk.failed(t.talk.Send(m)); t.err == nil {
			m, t.err = t.talk.answer(t.talk.db.wait, want)
		}
	}
	if t.err != nil {
		return wire.Message{}
	}
	return m
}

func (t *tx) Get(b approval.Bucket, key string) []byte {
	at := place{b, key}
	if value, known := t.values[at]; known {
		return value
	}
	m := t.ask(wire.Message{Kind: wire.Get, Bucket: string(b), Key: key}, wire.Value)
	if !m.Yes {
		m.Value = nil
	}
	t.values[at] = m.Value
	return m.Value
}

func (t *tx) Put(b approval.Bucket, key string, value []byte) error {
	c := wire.Change{Way: wire.Put, Bucket: string(b), Key: key, Value: append([]byte{}, value...)}
	if c.Size() > wire.MaxFrame/2 {
		return fmt.Errorf("approval: %w: the value at %.64q of %q", wire.ErrTooLong, key, b)
	}
	t.values[place{b, key}] = c.Value
	t.changes = append(t.changes, c)
	return t.err
}

func (t *tx) Delete(b approval.Bucket, key string) error {
	t.values[place{b, key}] = nil
	t.changes = append(t.changes, wire.Change{Way: wire.Delete, Bucket: string(b), Key: key})
	return t.err
}

func (t *tx) Seq() uint64 { return t.seq }

func (t *tx) SetSeq(seq uint64) error {
	t.seq = seq
	t.changes = append(t.changes, wire.Change{Way: wire.SetSeq,
		Value: binary.BigEndian.AppendUint64(nil, seq)})
	return t.err
}

// Changed implements [approval.Tx]. By itself it changes nothing.
func (t *tx) Changed(id string) {
	if len(t.changes) > 0 {
		t.changes = append(t.changes, wire.Change{Way: wire.Changed, Key: id})
	}
}

// Keys implements [approval.Tx].
func (t *tx) Keys(b approval.Bucket) []string {
	if _, known := t.lists[b]; !known {
		t.lists[b] = t.list(b)
	}
	out := slices.Clone(t.lists[b])
	for _, c := range t.changes {
		if c.Bucket != string(b) {
			continue
		}
		i, found := slices.BinarySearch(out, c.Key)
		switch {
		case c.Way == wire.Put && !found:
			out = slices.Insert(out, i, c.Key)
		case c.Way == wire.Delete && found:
			out = slices.Delete(out, i, i+1)
		}
	}
	return out
}

// maxKeys bounds how many keys of one bucket are read.
const maxKeys = 1 << 20

// list asks for the keys of a bucket.
func (t *tx) list(b approval.Bucket) []string {
	m := t.ask(wire.Message{Kind: wire.List, Bucket: string(b)}, wire.Names)
	out := m.Names
	for m.Yes && t.err == nil {
		if len(m.Names) == 0 || len(out) > maxKeys {
			t.err = t.talk.failed(fmt.Errorf("%w: a bucket of more than %d keys", wire.ErrTooLong,
				maxKeys))
			break
		}
		m, t.err = t.talk.answer(t.talk.db.wait, wire.Names)
		out = append(out, m.Names...)
	}
	if t.err != nil || !slices.IsSorted(out) {
		if t.err == nil {
			t.err = t.talk.failed(fmt.Errorf("%w: keys out of order", wire.ErrFormat))
		}
		return nil
	}
	return out
}
