package audit

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

const (
	eachByte = 0x0101010101010101
	highBits = 0x8080808080808080
)

// plainRun returns how many bytes at the start of b are written as themselves in a JSON string:
// none below ' ', no quote, backslash or DEL. It examines eight bytes at a time, which lets a
// verifier keep up with SHA-256.
func plainRun(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		if hit := special(x); hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' && b[i] != 0x7f {
		i++
	}
	return i
}

// appendPlain appends the bytes at the start of b that are written as themselves in a JSON string
// (plainRun), and returns how many. It copies while it looks: lines are short, and a call for each
// would cost more than both.
func appendPlain(dst, b []byte) ([]byte, int) {
	if cap(dst)-len(dst) < len(b) {
		dst = slices.Grow(dst, len(b))
	}
	n := len(dst)
	from, to := b, dst[n:n+len(b)]
	for len(from) >= 8 && len(to) >= 8 {
		x := binary.LittleEndian.Uint64(from)
		binary.LittleEndian.PutUint64(to, x) // what follows a hit is overwritten
		if hit := special(x); hit != 0 {
			done := len(b) - len(from) + bits.TrailingZeros64(hit)/8
			return dst[:n+done], done
		}
		from, to = from[8:], to[8:]
	}
	for len(from) > 0 && len(to) > 0 && from[0] >= ' ' && from[0] != '"' && from[0] != '\\' &&
		from[0] != 0x7f {
		to[0] = from[0]
		from, to = from[1:], to[1:]
	}
	done := len(b) - len(from)
	return dst[:n+done], done
}

// special marks the high bits of bytes below ' ', quotes, backslashes and DEL. The high bits are
// removed first, so no sum carries into the next byte.
func special(x uint64) uint64 {
	y := x &^ highBits
	plain := (y + (0x80-' ')*eachByte) & other(y, '"') & other(y, '\\') & other(y, 0x7f)
	return ^(plain | x) & highBits
}

// other marks the high bits of bytes that are not c; x has no high bits.
func other(x uint64, c uint64) uint64 { return (x ^ c*eachByte) + 0x7f*eachByte }
