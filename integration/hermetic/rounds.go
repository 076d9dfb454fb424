package hermetic

import (
	"os"
	"strconv"
)

// Rounds returns how often a test tries something that fails only occasionally: a tenth of n times,
// or, if TEST_ROUNDS is set, as make stress sets it, that many times n.
func Rounds(n int) int {
	if times, err := strconv.Atoi(os.Getenv("TEST_ROUNDS")); err == nil && times > 0 {
		return times * n
	}
	return max(n/10, 3)
}
