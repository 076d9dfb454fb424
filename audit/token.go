package audit

import (
	"encoding/binary"
	"math/bits"
)

// tokenByte marks the bytes that tokens consist of.
var tokenByte = func() (is [256]bool) {
	for c := range is {
		is[c] = wordByte(byte(c)) || c == '-'
	}
	return is
}()

// notToken marks the high bits of bytes that tokens do not contain.
func notToken(x uint64) uint64 {
	y := x &^ highBits
	folded := y | 0x20*eachByte
	letter := (folded + (0x80-'a')*eachByte) &^ (folded + (0x7f-'z')*eachByte)
	digit := (y + (0x80-'0')*eachByte) &^ (y + (0x7f-'9')*eachByte)
	return (^(letter|digit)&other(y, '-')&other(y, '_') | x) & highBits
}

// tokenEnd returns the end of the run of token bytes that contains at.
func tokenEnd(b []byte, at int) int {
	rest := b[at:]
	for len(rest) >= 8 {
		if hit := notToken(binary.LittleEndian.Uint64(rest)); hit != 0 {
			return len(b) - len(rest) + bits.TrailingZeros64(hit)/8
		}
		rest = rest[8:]
	}
	for len(rest) > 0 && tokenByte[rest[0]] {
		rest = rest[1:]
	}
	return len(b) - len(rest)
}

// tokenStart returns the beginning of the run of token bytes before at.
func tokenStart(b []byte, at int) int {
	rest := b[:at]
	for len(rest) >= 8 {
		if hit := notToken(binary.LittleEndian.Uint64(rest[len(rest)-8:])); hit != 0 {
			return len(rest) - bits.LeadingZeros64(hit)/8
		}
		rest = rest[:len(rest)-8]
	}
	for len(rest) > 0 && tokenByte[rest[len(rest)-1]] {
		rest = rest[:len(rest)-1]
	}
	return len(rest)
}

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}
