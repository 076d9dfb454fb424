package sorted

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// keyHead is the length of a key's text, so that no key begins with another.
const keyHead = 4

// AppendKey begins a record with a text.
func AppendKey(dst []byte, text string) []byte {
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(text))), text...)
}

// A Record is one about a text.
type Record struct {
	Text, Rest []byte
	First      bool // of those about the text
}

// Records yields the records in order, which must all begin with a key. Each is valid until the
// next. Nothing can be added afterwards.
func (s *Sorter) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		var before []byte // the key, which is never empty
		for record, err := range s.all() {
			if err != nil {
				yield(Record{}, err)
				return
			}
			key, text, rest := cutKey(record)
			first := !bytes.Equal(key, before)
			if before = append(before[:0], key...); !yield(Record{text, rest, first}, nil) {
				return
			}
		}
	}
}

// cutKey splits a record into its key, what the key says, and the rest.
func cutKey(record []byte) (key, text, rest []byte) {
	n := keyHead + int(binary.BigEndian.Uint32(record))
	return record[:n], record[keyHead:n], record[n:]
}
