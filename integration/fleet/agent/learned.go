package agent

import "sync"

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
