package undo

import (
	"encoding/binary"
	"errors"
)

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendID(b []byte, id ID) []byte {
	b = binary.AppendUvarint(b, id.Dev)
	b = binary.AppendUvarint(b, id.Ino)
	return binary.AppendVarint(b, id.Birth)
}

func appendState(b []byte, s *State) []byte {
	b = binary.AppendUvarint(b, uint64(s.Mode))
	if s.Absent() {
		return b
	}
	b = appendID(b, s.ID)
	for _, n := range [...]uint64{uint64(s.UID), uint64(s.GID), uint64(s.Links), s.Device} {
		b = binary.AppendUvarint(b, n)
	}
	for _, n := range [...]int64{s.Size, s.Accessed, s.Modified, s.Changed} {
		b = binary.AppendVarint(b, n)
	}
	return appendString(appendString(b, s.Target), s.Sum)
}

func appendAttributes(b []byte, list []attribute) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, a := range list {
		b = appendString(appendString(b, a.name), a.value)
	}
	return b
}

// fields reads a payload. After a mistake it returns zero values, and err says what it was.
type fields struct {
	b   []byte
	err error
}

func (f *fields) fail(why string) {
	if f.err == nil {
		f.err = errors.New(why)
	}
	f.b = nil
}

func (f *fields) uint() uint64 {
	n, size := binary.Uvarint(f.b)
	if size <= 0 {
		f.fail("a number of a record is missing")
		return 0
	}
	f.b = f.b[size:]
	return n
}

func (f *fields) uint32() uint32 {
	n := f.uint()
	if n > 1<<32-1 {
		f.fail("a number of a record is too large")
	}
	return uint32(n)
}

func (f *fields) int() int64 {
	n, size := binary.Varint(f.b)
	if size <= 0 {
		f.fail("a number of a record is missing")
		return 0
	}
	f.b = f.b[size:]
	return n
}

// count reads how many parts follow; each takes a byte at least.
func (f *fields) count() int {
	n := f.uint()
	if n > uint64(len(f.b)) {
		f.fail("a record says that it has more than it has")
		return 0
	}
	return int(n)
}

func (f *fields) string() string {
	n := f.count()
	s := string(f.b[:n])
	f.b = f.b[n:]
	return s
}

func (f *fields) strings() (list []string) {
	for range f.count() {
		list = append(list, f.string())
	}
	return list
}

func (f *fields) id() ID { return ID{f.uint(), f.uint(), f.int()} }

func (f *fields) state() (s State) {
	if s.Mode = f.uint32(); s.Absent() {
		return s
	}
	s.ID = f.id()
	s.UID, s.GID, s.Links, s.Device = f.uint32(), f.uint32(), f.uint32(), f.uint()
	s.Size, s.Accessed, s.Modified, s.Changed = f.int(), f.int(), f.int(), f.int()
	s.Target, s.Sum = f.string(), f.string()
	return s
}

func (f *fields) attributes() (list []attribute) {
	for range f.count() {
		list = append(list, attribute{f.string(), f.string()})
	}
	return list
}
