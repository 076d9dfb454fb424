//go:build amd64 || arm64

package broker

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// A folder is one in which an entry changes.
type folder struct {
	text  string // as it was looked up
	fd    int
	in    string // its name, as the kernel has it
	keeps keeping
	alone bool // the kernel alone decides about its entries
	uses  int
}

// A keeping says what is kept of the entries of a folder.
type keeping int

const (
	keepsNone keeping = iota
	keepsAll          // it is in a writable tree
	keepsOwn          // it is in a shared directory: what the workspace has made there
)

// folders keep the last one open, as the next call is often about the same. Only the thread that
// receives calls has it.
type folders struct {
	last   *folder
	opened time.Time
	stale  atomic.Bool // it may be elsewhere
}

// fresh is how long a folder is taken to be where it was: long enough for many calls, and short for
// another program that moves it. What the run itself moves is seen, and ends it.
const fresh = 2 * time.Millisecond

func (s *folders) leave(d *folder) {
	if d.uses--; d.uses == 0 {
		unix.Close(d.fd)
	}
}

// moved says that a folder may have another name by now.
func (s *folders) moved() { s.stale.Store(true) }

func (s *folders) forget() {
	if s.last != nil {
		s.leave(s.last)
		s.last = nil
	}
}
