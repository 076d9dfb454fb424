package hermetic

import (
	"os"
	"strconv"
	"testing"
)

// Rounds returns how often a test tries something that fails only occasionally: a quarter of n
// times; with -short a tenth, which is enough for the race detector; TEST_ROUNDS times n if that
// variable is set, as in make stress.
func Rounds(n int) int {
	if testing.Short() {
		return max(n/10, 3)
	}
	if times, err := strconv.Atoi(os.Getenv("TEST_ROUNDS")); err == nil && times > 0 {
		return times * n
	}
	return max(n/4, 3)
}
