package etcd

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/tada-run/tada-run/approval"
)

// A state is everything that the commits up to one of them have left, in memory.
type state struct {
	values  map[approval.Bucket]map[string][]byte
	seq     uint64
	n       uint64
	chain   sum
	tickets []ticket // of the last commits, the newest last

	logged int // the bytes of the records since the snapshot, and of their bodies
	base   int // the bytes of the snapshot
}

// remembered is how many tickets of past commits are known. A process that does not know whether
// its commit was stored finds out as long as no more than these followed it.
const remembered = 1024

func newState() *state {
	return &state{values: map[approval.Bucket]map[string][]byte{}}
}

// apply makes the next commit part of the state.
func (s *state) apply(r record, value []byte, c changes) {
	s.n, s.seq, s.chain = r.n, c.seq, link(s.chain, value)
	s.tickets = append(s.tickets, r.ticket)
	if len(s.tickets) > 2*remembered {
		s.tickets = slices.Clone(s.tickets[len(s.tickets)-remembered:])
	}
	s.logged += len(value) + int(r.parts.size)
	s.change(c.list)
}

func (s *state) change(list []change) {
	for _, x := range list {
		if x.gone {
			delete(s.values[x.bucket], x.key)
			continue
		}
		if s.values[x.bucket] == nil {
			s.values[x.bucket] = map[string][]byte{}
		}
		s.values[x.bucket][x.key] = x.value
	}
}

// ticket returns the ticket of commit n; false if it is no longer known.
func (s *state) ticket(n uint64) (ticket, bool) {
	if back := s.n - n; n <= s.n && back < uint64(len(s.tickets)) {
		return s.tickets[uint64(len(s.tickets))-1-back], true
	}
	return ticket{}, false
}

// encode returns the state as a snapshot.
func (s *state) encode() []byte {
	b := binary.AppendUvarint([]byte(snapshotMagic), s.n)
	b = append(b, s.chain[:]...)
	last := s.tickets[max(len(s.tickets)-remembered, 0):]
	b = binary.AppendUvarint(b, uint64(len(last)))
	for _, t := range last {
		b = append(b, t[:]...)
	}
	c := changes{seq: s.seq}
	for _, bucket := range slices.Sorted(maps.Keys(s.values)) {
		for _, key := range slices.Sorted(maps.Keys(s.values[bucket])) {
			c.list = append(c.list, change{bucket: bucket, key: key, value: s.values[bucket][key]})
		}
	}
	return append(b, c.encode()...)
}

const snapshotMagic = "tada-run approvals snapshot 1\n"

// readSnapshot is the inverse of encode.
func readSnapshot(text []byte) (*state, error) {
	r := &reader{left: text}
	if string(r.fixed(uint64(len(snapshotMagic)))) != snapshotMagic {
		return nil, errFormat
	}
	s := newState()
	s.n, s.base = r.number(), len(text)
	copy(s.chain[:], r.fixed(uint64(len(s.chain))))
	for range r.count() {
		var t ticket
		copy(t[:], r.fixed(uint64(len(t))))
		s.tickets = append(s.tickets, t)
	}
	if r.err != nil {
		return nil, r.err
	}
	c, err := readChanges(r.left)
	if err != nil || len(s.tickets) > remembered {
		return nil, errFormat
	}
	s.seq = c.seq
	s.change(c.list)
	return s, nil
}
