package quarantine

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/sys/unix"
)

const (
	keySize   = 32
	blockSize = sha256.BlockSize
)

// A secret is a session's key, in a page that the garbage collector never copies and that is in no
// dump, swap file or child process. The page contains the key twice, as HMAC needs it: XORed with
// the inner and with the outer padding (RFC 2104, section 2).
//
// crypto/hmac would copy the key to the heap, where nothing can be wiped. So sum implements the two
// lines of RFC 2104; a test compares it with crypto/hmac.
type secret struct {
	mu   sync.RWMutex
	page []byte             // nil after destroy
	free func([]byte) error // frees the page, which is zeroed by then
}

func newSecret(random io.Reader) (*secret, error) {
	page, err := secretPage()
	if err != nil {
		return nil, fmt.Errorf("memory for a key: %w", err)
	}
	inner, outer := page[:blockSize], page[blockSize:2*blockSize]
	if _, err := io.ReadFull(random, inner[:keySize]); err != nil {
		clear(page)
		_ = unix.Munmap(page)
		return nil, fmt.Errorf("random bytes for a key: %w", err)
	}
	copy(outer, inner)
	for i := range inner {
		inner[i] ^= 0x36
		outer[i] ^= 0x5c
	}
	return &secret{page: page, free: unix.Munmap}, nil
}

// secretPage returns a page for a key. memfd_secret(2) (Linux 5.14, on by default since 6.5)
// removes it from the kernel's own map of memory, so that not even ptrace or /proc/PID/mem can read
// it as root.
func secretPage() ([]byte, error) {
	size := unix.Getpagesize()
	if fd, err := unix.MemfdSecret(unix.O_CLOEXEC); err == nil {
		// memfd_secret(2) says FD_CLOEXEC, which the kernel refuses
		page, err := mapSecret(fd, size)
		_ = unix.Close(fd)
		if err == nil {
			return page, nil
		}
	}
	return lockedPage(size)
}

// lockedPage returns a page that is in no swap file (mlock(2)), and in no core dump or child
// (madvise(2)).
func lockedPage(size int) ([]byte, error) {
	page, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(unix.Mlock(page), unix.Madvise(page, unix.MADV_DONTDUMP),
		unix.Madvise(page, unix.MADV_DONTFORK)); err != nil {
		_ = unix.Munmap(page)
		return nil, err
	}
	return page, nil
}

func mapSecret(fd, size int) ([]byte, error) {
	if err := unix.Ftruncate(fd, int64(size)); err != nil {
		return nil, err
	}
	page, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	if err := unix.Madvise(page, unix.MADV_DONTFORK); err != nil {
		_ = unix.Munmap(page)
		return nil, err
	}
	return page, nil
}

// sum returns HMAC-SHA256 of message, or errDestroyed.
func (s *secret) sum(message []byte) (mac [sha256.Size]byte, err error) {
	if s == nil {
		return mac, errDestroyed
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.page == nil {
		return mac, errDestroyed
	}
	h := sha256.New()
	h.Write(s.page[:blockSize]) // a whole block is hashed in place, not copied
	h.Write(message)
	var digest [sha256.Size]byte
	h.Sum(digest[:0])
	h.Reset()
	h.Write(s.page[blockSize : 2*blockSize])
	h.Write(digest[:])
	h.Sum(mac[:0])
	h.Reset()
	return mac, nil
}

// destroy zeroes the key and frees its memory. It may be called again.
func (s *secret) destroy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.page == nil {
		return
	}
	clear(s.page)
	_ = s.free(s.page)
	s.page = nil
}

// Harden closes this process's memory to every other process of the same user: no core dump,
// no ptrace, no /proc/PID/mem (PR_SET_DUMPABLE, prctl(2)). A broker calls it before it makes
// a key.
func Harden() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("close this process's memory: %w", err)
	}
	return nil
}
