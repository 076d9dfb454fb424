package proc

import (
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// mounts are what was read last. The kernel says by poll(2) on the open file whether it is still
// true, which costs a thirtieth of reading it again.
var mounts struct {
	sync.Mutex
	fd   int // from 1; 0 where it is not open
	text string
	read int // how often
}

// Mounts returns /proc/self/mountinfo, "" where it cannot be read, and a number that is another one
// where the text may be.
func Mounts() (text string, version int) {
	m := &mounts
	m.Lock()
	defer m.Unlock()
	if m.fd == 0 {
		fd, err := open("/proc/self/mountinfo")
		if err != nil {
			return "", 0
		}
		m.fd = fd + 1
	}
	if m.read > 0 {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(m.fd - 1), Events: unix.POLLPRI}}, 0)
		if n == 0 && err == nil {
			return m.text, m.read
		}
	}
	m.text, m.read = string(whole(m.fd-1)), m.read+1
	return m.text, m.read
}

// whole reads an open file from its beginning.
func whole(fd int) []byte {
	text := make([]byte, 0, 8<<10)
	for {
		n, err := syscall.Pread(fd, text[len(text):cap(text)], int64(len(text)))
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 {
			return text
		}
		text = slices.Grow(text[:len(text)+n], 4<<10)
	}
}
