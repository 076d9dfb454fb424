package sorted

import "encoding/binary"

// keyHead is the length of a key's text, so that no key begins with another.
const keyHead = 4

// AppendKey begins a record with a text.
func AppendKey(dst []byte, text string) []byte {
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(text))), text...)
}

// CutKey splits a record into its key, what the key says, and the rest.
func CutKey(record []byte) (key, text, rest []byte) {
	n := keyHead + int(binary.BigEndian.Uint32(record))
	return record[:n], record[keyHead:n], record[n:]
}
