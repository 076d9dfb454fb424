package agent

import (
	"sync"
	"time"

	"github.com/tada-run/tada-run/approval/etcd"
)

// A link is whether the machine has its place in the fleet: the servers have renewed its lease
// lately. Its zero value is a machine that never had one.
type link struct {
	mu    sync.Mutex
	up    bool
	since time.Time // when it was lost
	open  bool      // the approvals are there
}

// opened notes that the approvals can be used.
func (l *link) opened() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = true
}

func (l *link) is(up bool, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.up && !up {
		l.since = now
	}
	l.up = up
}

// holds reports whether the machine has its place.
func (l *link) holds() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up
}

// Connected implements served.Linked.
func (l *link) Connected() (since time.Time, connected bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.since, l.up && l.open
}

// A linked is the approvals of a machine that knows whether it is connected.
type linked struct {
	*etcd.DB
	*link
}
