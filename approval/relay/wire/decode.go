package wire

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// readHeader returns the kind and the length of the frame that begins with h.
func readHeader(h []byte) (Kind, int, error) {
	size, version, kind := binary.BigEndian.Uint32(h), h[4], h[5]
	switch {
	case version != Version:
		return 0, 0, fmt.Errorf("%w: it is %d, not %d", ErrVersion, version, Version)
	case strings.IndexByte(kinds, kind) < 0:
		return 0, 0, fmt.Errorf("%w: its kind is %q", ErrFormat, kind)
	case size > MaxFrame:
		return 0, 0, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLong, size, MaxFrame)
	}
	return Kind(kind), int(size), nil
}

// decode returns the message with this body. It keeps no part of the body.
func decode(kind Kind, body []byte) (Message, error) {
	d := decoder{left: body}
	m := Message{Kind: kind}
	for _, letter := range layouts[kind] {
		d.member(byte(letter), &m)
	}
	if d.bad || len(d.left) > 0 {
		return Message{}, fmt.Errorf("%w: the members of kind %q", ErrFormat, byte(kind))
	}
	return m, nil
}

// A decoder takes a body apart. After the first thing that is missing or wrong it returns zeros.
type decoder struct {
	left []byte
	bad  bool
}

func (d *decoder) member(letter byte, m *Message) {
	switch letter {
	case 'b':
		m.Bucket = d.text()
	case 'k':
		m.Key = d.text()
	case 'v':
		m.Value = d.value()
	case 'y':
		m.Yes = d.flag()
	case 'n':
		m.Number = d.number()
	case 's':
		m.Seq = d.number()
	case 't':
		copy(m.Ticket[:], d.take(len(m.Ticket)))
	case 'l':
		for range d.count(4) {
			m.Names = append(m.Names, d.text())
		}
	case 'c':
		for range d.count(Change{}.Size()) {
			m.Changes = append(m.Changes, d.change())
		}
	case 'f':
		m.Failure.Code = d.letter()
		m.Failure.Path, m.Failure.Hint, m.Failure.Text = d.text(), d.text(), d.text()
	}
}

func (d *decoder) change() Change {
	c := Change{Way: d.letter(), Bucket: d.text(), Key: d.text(), Value: d.value()}
	d.bad = d.bad || strings.IndexByte(ways, c.Way) < 0 || c.Way == SetSeq && len(c.Value) != 8
	return c
}

// ways are those of changes.
var ways = string([]byte{Put, Delete, SetSeq, Changed})

// take returns the next n bytes; nil if there are fewer.
func (d *decoder) take(n int) []byte {
	if n > len(d.left) {
		d.bad, d.left = true, nil
		return nil
	}
	part := d.left[:n]
	d.left = d.left[n:]
	return part
}

// count returns how many members of at least this size follow.
func (d *decoder) count(size int) int {
	b := d.take(4)
	if b == nil {
		return 0
	}
	n := int64(binary.BigEndian.Uint32(b))
	if n > int64(len(d.left)/size) {
		d.bad = true
		return 0
	}
	return int(n)
}

func (d *decoder) text() string { return string(d.take(d.count(1))) }

func (d *decoder) value() []byte { return append([]byte{}, d.take(d.count(1))...) }

func (d *decoder) letter() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) flag() bool {
	b := d.letter()
	d.bad = d.bad || b > 1
	return b == 1
}

func (d *decoder) number() uint64 {
	if b := d.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}
