package audit

import (
	"encoding/binary"
	"math/bits"
)

const (
	eachByte = 0x0101010101010101
	highBits = 0x8080808080808080
)

// plainRun returns how many bytes at the start of b stand for themselves
// inside a JSON string: none below ' ', no quote, backslash or DEL, and,
// when refuse is highBits, none above. It looks at eight bytes at a time,
// which is what lets a verifier keep up with SHA-256.
func plainRun(b []byte, refuse uint64) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		// The classic zero-byte test; a borrow can only mark bytes above a
		// true hit, and the lowest is the one taken.
		low := (x - ' '*eachByte) & ^x
		if hit := (low|zeroByte(x^'"'*eachByte)|zeroByte(x^'\\'*eachByte)|zeroByte(x^0x7f*eachByte))&highBits | x&refuse; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' && b[i] != 0x7f && uint64(b[i])&refuse == 0 {
		i++
	}
	return i
}

func zeroByte(x uint64) uint64 { return (x - eachByte) & ^x }
