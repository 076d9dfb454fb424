package passkeytest

import "encoding/binary"

// head begins a CBOR item of a major type.
func head(major byte, n uint64) []byte {
	switch {
	case n < 24:
		return []byte{major<<5 | byte(n)}
	case n < 1<<8:
		return []byte{major<<5 | 24, byte(n)}
	}
	return binary.BigEndian.AppendUint16([]byte{major<<5 | 25}, uint16(n))
}

func cborInt(n int64) []byte {
	if n < 0 {
		return head(1, uint64(-1-n))
	}
	return head(0, uint64(n))
}

func cborBytes(b []byte) []byte { return append(head(2, uint64(len(b))), b...) }

func cborText(s string) []byte { return append(head(3, uint64(len(s))), s...) }

// cborMap makes a map of keys and values in turn.
func cborMap(items ...[]byte) []byte {
	b := head(5, uint64(len(items)/2))
	for _, item := range items {
		b = append(b, item...)
	}
	return b
}
