package resolve

import "sync"

// A Look is what was seen of the disk for questions of one caller that are answered as of one
// moment. The zero value has seen nothing, and a nil one remembers nothing.
type Look struct {
	mu   sync.Mutex
	seen map[seen]any
}

// seen is what was looked for, and in which workspace.
type seen struct{ what, workspace string }

// Forget begins another moment.
func (l *Look) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = nil
}

// once is what find says of a workspace, which it is asked once.
func once[T any](l *Look, what, workspace string, find func() T) T {
	if l == nil {
		return find()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := seen{what, workspace}
	if found, known := l.seen[key]; known {
		return found.(T)
	}
	found := find()
	if l.seen == nil {
		l.seen = map[seen]any{}
	}
	l.seen[key] = found
	return found
}
