package walk

import (
	"os"
	"sync"
	"syscall"
)

// A Held is a file that a plan keeps open. It owns the descriptor: it never gives ownership of the
// number away, and there is at most one os.File for it, however many goroutines ask. Most plans are
// only judged, and then the number is enough.
type Held struct {
	name string // for messages only

	mu     sync.Mutex
	number int      // the owned descriptor, while file is nil
	file   *os.File // its owner, once it was asked for
	closed bool
}

func NewHeld(fd int, name string) *Held { return &Held{number: fd, name: name} }

// Open returns the file, which the plan closes; nil if nothing is held. After the plan is closed it
// returns a closed file, so that a late user fails instead of using another file, either the one
// that has the number by then or the one that has the name.
func (h *Held) Open() *os.File {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.file != nil:
	case h.closed:
		h.file = closedFile()
	default:
		h.file = os.NewFile(uintptr(h.number), h.name)
	}
	return h.file
}

// Use calls f with the descriptor, which stays open during the call.
func (h *Held) Use(f func(fd int) error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return os.ErrClosed
	case h.file == nil:
		return f(h.number)
	}
	conn, err := h.file.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := conn.Control(func(fd uintptr) { inner = f(int(fd)) }); err != nil {
		return err
	}
	return inner
}

// Close does nothing the second time.
func (h *Held) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil
	}
	h.closed = true
	if h.file != nil {
		return h.file.Close()
	}
	return syscall.Close(h.number)
}

// closedFile is a file of which every use is an error. No descriptor has its number.
var closedFile = sync.OnceValue(func() *os.File {
	f := os.NewFile(1<<31-1, "closed")
	_ = f.Close()
	return f
})
