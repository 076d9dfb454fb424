package etcd

import (
	"encoding/binary"
	"errors"
)

// errFormat is the error for bytes that this package did not write.
var errFormat = errors.New("wrong format")

// appendBytes appends bytes after their length.
func appendBytes[T string | []byte](to []byte, b T) []byte {
	return append(binary.AppendUvarint(to, uint64(len(b))), b...)
}

// A reader reads what appendBytes and AppendUvarint wrote. After the first error everything that it
// returns is zero.
type reader struct {
	left []byte
	err  error
}

// fixed returns the next n bytes. They are part of what is read and must not be changed.
func (r *reader) fixed(n uint64) []byte {
	if r.err != nil || n > uint64(len(r.left)) {
		r.left, r.err = nil, errFormat
		return nil
	}
	b := r.left[:n:n]
	r.left = r.left[n:]
	return b
}

func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.left)
	if r.err != nil || n <= 0 {
		r.left, r.err = nil, errFormat
		return 0
	}
	r.left = r.left[n:]
	return v
}

func (r *reader) bytes() []byte { return r.fixed(r.number()) }

func (r *reader) text() string { return string(r.bytes()) }

// count reads how many items follow. Each has at least one byte, so that a number cannot ask for
// more memory than there are bytes.
func (r *reader) count() int {
	n := r.number()
	if n > uint64(len(r.left)) {
		r.left, r.err = nil, errFormat
		return 0
	}
	return int(n)
}

// end returns the error, also if something is left.
func (r *reader) end() error {
	if r.err == nil && len(r.left) > 0 {
		r.err = errFormat
	}
	return r.err
}
