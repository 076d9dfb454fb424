package launcher

import "testing"

// F5: the share of memory is one of what a container leaves, and of the machine's where nothing
// bounds it or the bound is no number of memory.
func TestLower(t *testing.T) {
	for _, test := range []struct{ memory, bound, want uint64 }{
		{8 << 30, 0, 8 << 30}, {8 << 30, 1 << 30, 1 << 30}, {8 << 30, 9223372036854771712, 8 << 30},
		{0, 0, 0},
	} {
		if got := lower(test.memory, test.bound); got != test.want {
			t.Errorf("%d of %d: %d, want %d", test.bound, test.memory, got, test.want)
		}
	}
}
