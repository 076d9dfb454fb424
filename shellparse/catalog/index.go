package catalog

import (
	"fmt"
	"iter"
	"math/bits"
	"strings"
)

// An index gives the offsets of the keys in a table. It is a text of numbers in four hexadecimal
// digits, 16 in a line. The first part has a number for each value of the hash of a name: the
// offset, from 1, of a key with this hash, or of the next key behind it; 0 for none. Behind an
// empty line are the keys with a star, in their order.
type index struct {
	slots string
	last  uint32 // of the slots; their number is a power of two
	open  string
}

const inLine = 16

// indexed reads the text of an index.
func indexed(text string) index {
	slots, open, _ := strings.Cut(text, "\n\n")
	return index{slots, uint32(count(slots) - 1), open}
}

// count returns how many numbers there are.
func count(numbers string) int {
	lines := strings.Count(numbers, "\n")
	return lines*inLine + (len(numbers)-strings.LastIndexByte(numbers, '\n'))/4
}

// number returns the one at a place in the list.
func number(numbers string, at int) (n int) {
	for _, digit := range []byte(numbers[at*4+at/inLine:][:4]) {
		if n <<= 4; digit >= 'a' {
			n += int(digit-'a') + 10
		} else {
			n += int(digit - '0')
		}
	}
	return n
}

// compile makes the text of the index of these keys. Some of the slots stay free.
func compile(keys iter.Seq2[int, string]) string {
	var open []int
	n := 0
	for at, key := range keys {
		if n++; strings.Contains(key, "*") {
			open = append(open, at+1)
		}
	}
	slots := make([]int, 1<<bits.Len(uint(2*n)))
	last := uint32(len(slots) - 1)
	for at, key := range keys {
		if strings.Contains(key, "*") {
			continue
		}
		slot := hash(key) & last
		for slots[slot] != 0 {
			slot = (slot + 1) & last
		}
		slots[slot] = at + 1
	}
	return written(slots) + "\n\n" + written(open)
}

func written(numbers []int) string {
	var b strings.Builder
	for i, n := range numbers {
		if i > 0 && i%inLine == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%04x", n)
	}
	return b.String()
}

// hash is FNV-1a.
func hash(name string) uint32 {
	h := uint32(2166136261)
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return h
}
