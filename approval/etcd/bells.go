package etcd

import "sync"

// bells are the calls of this process that wait for a question to change.
type bells struct {
	mu      sync.Mutex
	waiting map[string]map[chan struct{}]bool // question -> those that wait
	stop    func()                            // ends the watch; nil if there is none
}

// hang adds a bell. It reports whether it is the only one.
func (b *bells) hang(id string) (bell chan struct{}, first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = map[string]map[chan struct{}]bool{}
	}
	first = len(b.waiting) == 0
	if b.waiting[id] == nil {
		b.waiting[id] = map[chan struct{}]bool{}
	}
	bell = make(chan struct{}, 1)
	b.waiting[id][bell] = true
	return bell, first
}

// drop removes a bell, and ends the watch with the last one.
func (b *bells) drop(id string, bell chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waiting[id], bell)
	if len(b.waiting[id]) == 0 {
		delete(b.waiting, id)
	}
	if len(b.waiting) == 0 && b.stop != nil {
		b.stop()
		b.stop = nil
	}
}

// ring wakes those that wait for a question.
func (b *bells) ring(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for bell := range b.waiting[id] {
		push(bell)
	}
}

// ringAll wakes everyone.
func (b *bells) ringAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, all := range b.waiting {
		for bell := range all {
			push(bell)
		}
	}
}

func push(bell chan struct{}) {
	select {
	case bell <- struct{}{}:
	default: // it rings already
	}
}
