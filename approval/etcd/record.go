package etcd

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"

	"github.com/tada-run/tada-run/approval"
)

// A record is one commit, under a key with its number.
type record struct {
	n      uint64
	ticket ticket
	inline []byte // the changes, encoded; nil if they are in parts
	parts  body
}

const recordMagic = "tada-run approvals record 1\n"

func (r record) encode() []byte {
	b := binary.AppendUvarint([]byte(recordMagic), r.n)
	b = append(b, r.ticket[:]...)
	if r.inline == nil {
		return r.parts.append(append(b, 0))
	}
	return appendBytes(append(b, 1), r.inline)
}

func readRecord(value []byte) (record, error) {
	text, ok := bytes.CutPrefix(value, []byte(recordMagic))
	if !ok {
		return record{}, errFormat
	}
	r := &reader{left: text}
	rec := record{n: r.number()}
	copy(rec.ticket[:], r.fixed(uint64(len(rec.ticket))))
	switch kind := r.fixed(1); {
	case kind == nil:
	case kind[0] == 0:
		rec.parts = r.body()
	case kind[0] == 1:
		if rec.inline = r.bytes(); rec.inline == nil {
			rec.inline = []byte{}
		}
	default:
		return record{}, errFormat
	}
	if err := r.end(); err != nil {
		return record{}, err
	}
	return rec, nil
}

// link returns the chain after a record.
func link(chain sum, value []byte) sum {
	h := sha256.New()
	h.Write(chain[:])
	h.Write(value)
	return sum(h.Sum(nil))
}

// changes are what a commit does.
type changes struct {
	seq     uint64
	changed []string // questions
	list    []change
}

// A change is of one key of a bucket.
type change struct {
	bucket approval.Bucket
	key    string
	gone   bool
	value  []byte
}

func (c changes) encode() []byte {
	b := binary.AppendUvarint(nil, c.seq)
	b = binary.AppendUvarint(b, uint64(len(c.changed)))
	for _, id := range c.changed {
		b = appendBytes(b, id)
	}
	b = binary.AppendUvarint(b, uint64(len(c.list)))
	for _, x := range c.list {
		b = appendBytes(appendBytes(b, string(x.bucket)), x.key)
		if x.gone {
			b = append(b, 0)
		} else {
			b = appendBytes(append(b, 1), x.value)
		}
	}
	return b
}

func readChanges(text []byte) (changes, error) {
	r := &reader{left: text}
	c := changes{seq: r.number()}
	for range r.count() {
		c.changed = append(c.changed, r.text())
	}
	for range r.count() {
		x := change{bucket: approval.Bucket(r.text()), key: r.text()}
		switch kind := r.fixed(1); {
		case kind == nil:
		case kind[0] == 0:
			x.gone = true
		case kind[0] == 1:
			x.value = r.bytes()
		default:
			return changes{}, errFormat
		}
		if r.err != nil {
			break
		}
		c.list = append(c.list, x)
	}
	if err := r.end(); err != nil {
		return changes{}, err
	}
	return c, nil
}
