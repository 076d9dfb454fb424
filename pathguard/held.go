package pathguard

import (
	"os"
	"syscall"
)

// A held is a file that a plan keeps open. Most plans are only judged, and then the number of
// the descriptor is enough; an os.File is made for who asks for one.
type held struct {
	fd   int    // -1 once it was closed
	name string // for messages only
	file *os.File
}

// open returns the file, which stays the plan's to close; nil when nothing is held, or not any more: the
// number could be another file's by then.
func (h *held) open() *os.File {
	if h == nil || h.fd < 0 {
		return nil
	}
	if h.file == nil {
		h.file = os.NewFile(uintptr(h.fd), h.name)
	}
	return h.file
}

func (h *held) close() error {
	fd := h.fd
	h.fd = -1
	switch {
	case fd < 0:
		return nil
	case h.file != nil:
		return h.file.Close()
	}
	return syscall.Close(fd)
}
