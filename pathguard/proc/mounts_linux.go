package proc

import (
	"io"
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
	syscall.Seek(m.fd-1, 0, io.SeekStart)
	read, _ := whole(m.fd-1, 8<<10)
	m.text, m.read = string(read), m.read+1
	return m.text, m.read
}
