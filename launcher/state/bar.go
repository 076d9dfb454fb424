package state

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/approval/flock"
)

// A server of the person's, such as the inbox in a browser, is one of this machine's servers, which
// most runs may reach. Its port is barred to them: by a file named after the port in the state
// directory, locked by the process that listens there. A lock ends with its process, so a port is
// barred no longer than that.

// Bar keeps every run, also those that run already, from connecting to a port of this machine,
// until lift is called or this process ends.
func (h Home) Bar(port uint16) (lift func(), err error) {
	if err := os.MkdirAll(h.Barred(), 0o700); err != nil {
		return nil, fmt.Errorf("reserve port %d for tada-run: %w", port, err)
	}
	name := filepath.Join(h.Barred(), strconv.Itoa(int(port)))
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("reserve port %d for tada-run: %w", port, err)
	}
	err = flock.Try(f)
	for tries := 0; err == syscall.EWOULDBLOCK && tries < 100; tries++ {
		// a run that asks whether it is barred has it for a moment
		time.Sleep(time.Millisecond)
		err = flock.Try(f)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("reserve port %d for tada-run: lock %q: %w", port, name, err)
	}
	// the name stays: removing it could remove the file of the next process, which has just locked
	// it
	return func() { f.Close() }, nil
}

// IsBarred reports whether a port is barred; it returns true if it cannot find out.
func (h Home) IsBarred(port uint16) bool {
	f, err := os.OpenFile(filepath.Join(h.Barred(), strconv.Itoa(int(port))),
		os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return !os.IsNotExist(err)
	}
	defer f.Close()
	return flock.Do(f, syscall.LOCK_SH|syscall.LOCK_NB) != nil
}
