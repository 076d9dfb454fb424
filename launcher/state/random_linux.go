package state

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// random is getrandom(2). The standard library's reader starts a timer for its warning.
type random struct{}

// Read fills p.
func (random) Read(p []byte) (int, error) {
	for n := 0; n < len(p); {
		m, err := unix.Getrandom(p[n:], 0)
		if err != nil && err != unix.EINTR {
			return n, fmt.Errorf("getrandom: %w", err)
		}
		n += max(m, 0)
	}
	return len(p), nil
}
