package agent

import (
	"context"
	"sync"
)

// learned is how parts of the agent wait for the next fleet document.
type learned struct {
	mu   sync.Mutex
	next chan struct{} // closed with it; nil while nobody waits
}

// wait returns what is closed when the next document is taken.
func (l *learned) wait() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		l.next = make(chan struct{})
	}
	return l.next
}

func (l *learned) tell() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next != nil {
		close(l.next)
		l.next = nil
	}
}

// follow calls do for what is below a prefix, as each does, and again for all of it with each fleet
// document: what nobody had signed by the one before may be signed by administrators of this one.
// again says which it is.
func (a *Agent) follow(ctx context.Context, prefix string,
	do func(key string, value []byte, again bool) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	document := a.learned.wait() // before the first look, or one could come between
	lost := make(chan error, 1)
	go func() {
		lost <- a.each(ctx, prefix, func(key string, value []byte) error {
			return do(key, value, false)
		})
	}()
	for {
		select {
		case err := <-lost:
			return err
		case <-document:
		}
		document = a.learned.wait()
		if _, err := a.now(ctx, prefix, func(key string, value []byte) error {
			return do(key, value, true)
		}); err != nil {
			cancel()
			<-lost
			return err
		}
	}
}
