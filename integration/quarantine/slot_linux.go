package quarantine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval/flock"
)

// Slots limit how many quarantined agents run at once. Each slot is a file, and an agent holds its
// lock (flock(2)). The kernel releases the lock when the process ends, so nothing needs cleaning up
// after a crash, and no process has to keep count.
type Slots struct {
	dir string
}

// NewSlots returns the slots in dir, which it creates if it is missing.
func NewSlots(dir string) (*Slots, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("places for agents: %w", err)
	}
	return &Slots{dir: dir}, nil
}

// A slot is one slot in use.
type slot struct{ file *os.File }

// take returns a free slot, or ErrBusy. It never waits; callers can retry.
func (s *Slots) take() (*slot, error) {
	if s == nil {
		return nil, nil
	}
	for i := range MaxConcurrent {
		f, err := os.OpenFile(filepath.Join(s.dir, strconv.Itoa(i)),
			os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
		if err != nil {
			return nil, fmt.Errorf("places for agents: %w", err)
		}
		if err = flock.Try(f); err == nil {
			return &slot{f}, nil
		}
		f.Close()
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("places for agents: %w", err)
		}
	}
	return nil, fmt.Errorf("%w: at most %d; try again when one has ended", ErrBusy, MaxConcurrent)
}

func (s *slot) free() {
	if s == nil {
		return
	}
	// A process forked in the meantime has a copy of the descriptor, which would keep the lock.
	_ = flock.Unlock(s.file)
	_ = s.file.Close()
}
