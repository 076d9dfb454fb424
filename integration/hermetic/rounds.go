package hermetic

import (
	"os"
	"strconv"
	"testing"
)

// Rounds is how often a test tries what goes wrong only now and then: n times; with -short a tenth
// of it, which is enough for the race detector; TEST_ROUNDS times n where that variable is set, as
// in make stress.
func Rounds(n int) int {
	if testing.Short() {
		return max(n/10, 3)
	}
	if times, err := strconv.Atoi(os.Getenv("TEST_ROUNDS")); err == nil && times > 0 {
		return times * n
	}
	return n
}
