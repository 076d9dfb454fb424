package audit

import (
	"fmt"
	"strings"
)

// Plural returns a number with its noun: "1 entry", "2 entries", "3 processes".
func Plural[N int | int64 | uint64](n N, word string) string {
	stem, isY := strings.CutSuffix(word, "try")
	switch {
	case n == 1:
	case isY:
		word = stem + "tries"
	case strings.HasSuffix(word, "ss"):
		word += "es"
	default:
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}
