package etcd

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/tada-run/tada-run/approval"
)

// A local is the copy of the database in this process. The one who has the turn may change it;
// those who read hold mu.
type local struct {
	turn chan struct{}

	mu    sync.RWMutex
	state *state // nil until it is loaded, and while there is no database
	head  head   // of state
	mod   int64  // the revision that last changed the head; 0 if there is none
}

func newLocal() *local { return &local{turn: make(chan struct{}, 1)} }

// read returns what is known of the head.
func (l *local) read() (h head, mod int64, loaded bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.head, l.mod, l.state != nil
}

// set makes a state and its head the copy.
func (l *local) set(s *state, h head, mod int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state, l.head, l.mod = s, h, mod
}

// advance adds commits to the state. They lead to head h.
func (l *local) advance(steps []step, h head, mod int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range steps {
		l.state.apply(x.record, x.value, x.changes)
	}
	if h.base != l.head.base {
		l.state.logged, l.state.base = 0, int(h.snap.size)
	}
	l.head, l.mod = h, mod
}

// A step is one commit, as it is stored and as what it does.
type step struct {
	record  record
	value   []byte
	changes changes
}

// view runs fn on the state as it is.
func (l *local) view(secret []byte, fn func(approval.Tx) error) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.state == nil {
		return fn(nil)
	}
	return fn(begin(secret, l.state))
}

// check compares a text with the name under which it was found.
func (b body) check(text []byte) error {
	if uint64(len(text)) != b.size || sha256.Sum256(text) != b.sum {
		return fmt.Errorf("a part of %x was changed or is missing", b.ticket)
	}
	return nil
}
